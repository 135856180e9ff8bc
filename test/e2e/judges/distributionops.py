"""Divides pools with fractions and decimals, plants faults of accounts and addresses, and reads payment files: prints JSON.

Shares no code with the product. `distributionops.py SEED` prints an input and its truth; `distributionops.py read` reads a
pain.001 file from standard input.
"""

import json
import random
import sys
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from fractions import Fraction

MASK = (1 << 64) - 1


def keccak_256(data):
    """Keccak-f[1600] with the padding of Ethereum (0x01), which SHA-3 changed."""
    rounds, register = [], 1
    for _ in range(24):
        constant = 0
        for bit in range(7):
            if register & 1:
                constant |= 1 << ((1 << bit) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        rounds.append(constant)
    turn = lambda word, by: ((word << by) | (word >> (64 - by))) & MASK if by else word
    state = [[0] * 5 for _ in range(5)]
    rate = 136
    padded = bytearray(data) + b"\x01"
    padded += bytes(-len(padded) % rate)
    padded[-1] |= 0x80
    for start in range(0, len(padded), rate):
        for lane in range(rate // 8):
            at = start + 8 * lane
            state[lane % 5][lane // 5] ^= int.from_bytes(padded[at : at + 8], "little")
        for constant in rounds:
            column = [state[x][0] ^ state[x][1] ^ state[x][2] ^ state[x][3] ^ state[x][4] for x in range(5)]
            for x in range(5):
                mixed = column[(x - 1) % 5] ^ turn(column[(x + 1) % 5], 1)
                for y in range(5):
                    state[x][y] ^= mixed
            x, y, current = 1, 0, state[1][0]
            for step in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                current, state[x][y] = state[x][y], turn(current, (step + 1) * (step + 2) // 2 % 64)
            for y in range(5):
                row = [state[x][y] for x in range(5)]
                for x in range(5):
                    state[x][y] = row[x] ^ (~row[(x + 1) % 5] & MASK & row[(x + 2) % 5])
            state[0][0] ^= constant
    return b"".join(state[lane % 5][lane // 5].to_bytes(8, "little") for lane in range(4))


assert keccak_256(b"").hex() == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


def checksummed(digits):
    """EIP-55."""
    hashed = keccak_256(digits.encode()).hex()
    return "0x" + "".join(digit.upper() if int(hashed[at], 16) > 7 else digit for at, digit in enumerate(digits))


def total(amounts):
    return format(sum(map(Decimal, amounts), Decimal(0)).normalize(), "f")


def iban(country, account):
    """With the check digits of ISO 7064."""
    spelled = "".join(str(int(character, 36)) for character in account + country + "00")
    return f"{country}{98 - int(spelled) % 97:02d}{account}"


def grouped(text):
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


NAMES = [
    ("Anna Lindqvist", "Anna Lindqvist"),
    ("Søren Ægidius", "Soren AEgidius"),
    ("Café Müller & Söhne", "Cafe Muller + Sohne"),
    ("Zażółć Łódź", "Zazolc Lodz"),
    ('Dots <b> "x" = 1;', "Dots .b. .x. . 1."),
    ("Straße 5 – O’Neill", "Strasse 5 - O'Neill"),
    ("Δημήτρης Ευαγγέλου", "Dimitris Evangelou"),
    ("Иван Щукин", "Ivan Shchukin"),
]
UNWRITABLE = ["王伟", "דוד", "Қайрат"]
SEPA = {"DE": 18, "FR": 23, "NL": 14, "SE": 20, "GB": 18}
CAP = Decimal("25")


def shares(pool, rows):
    """Fixed amounts, then weights within floors and caps by halving the interval of the level until the order of limits is known."""
    fixed = {row["id"]: max(min(row["amount_minor"], row.get("cap_minor", row["amount_minor"])), row.get("floor_minor", 0)) for row in rows if "amount_minor" in row}
    open_rows = {row["id"]: (Fraction(str(row["weight"])), row.get("floor_minor", 0), row.get("cap_minor")) for row in rows if "weight" in row}
    rest = pool - sum(fixed.values())
    held = {}
    # Freezes those beyond a limit on the side that has more to give back, round by round.
    while open_rows:
        total = sum(weight for weight, _, _ in open_rows.values())
        at = {key: Fraction(rest) * weight / total for key, (weight, _, _) in open_rows.items()}
        low = {key: floor for key, (_, floor, _) in open_rows.items() if at[key] < floor}
        high = {key: cap for key, (_, _, cap) in open_rows.items() if cap is not None and at[key] > cap}
        lift = sum(floor - at[key] for key, floor in low.items())
        cut = sum(at[key] - cap for key, cap in high.items())
        if not low and not high:
            break
        frozen = low if lift > cut else high if cut > lift else {**low, **high}
        for key, amount in frozen.items():
            held[key] = amount
            rest -= amount
            del open_rows[key]
    whole = {}
    if open_rows:
        total = sum(weight for weight, _, _ in open_rows.values())
        exact = {key: Fraction(rest) * weight / total for key, (weight, _, _) in open_rows.items()}
        whole = {key: int(value) for key, value in exact.items()}
        left = rest - sum(whole.values())
        for key in sorted(exact, key=lambda one: (-(exact[one] - whole[one]), one))[: int(left)]:
            whole[key] += 1
    return {**fixed, **held, **whole}


def planted(seed):
    roll = random.Random(seed)
    currency = roll.choice(["EUR", "EUR", "USDC", "USDC", "JPY", "CHF", "BHD"])
    places = {"EUR": 2, "CHF": 2, "USDC": 6, "JPY": 0, "BHD": 3}[currency]
    count = roll.randrange(1, 60)
    rows, written = [], {}
    for at in range(count):
        key = f"r{at:03d}"
        row = {"id": key, "weight": roll.choice([1, 2, 7, "0.25", "3.141593", "2.000000000000000001"])}
        if roll.random() < 0.2:
            del row["weight"]
            row["amount_minor"] = roll.randrange(-(10**places) - 3, 3 * 10**places + 5)
        if roll.random() < 0.2:
            row["floor_minor"] = roll.randrange(0, 2 * 10**places + 2)
        if roll.random() < 0.2:
            row["cap_minor"] = row.get("floor_minor", 0) + roll.randrange(0, 9 * 10**places + 9)
        call, transfer = None, None
        digits = f"{roll.getrandbits(160):040x}"
        fate = roll.choice(["good", "good", "good", "small", "large", "wrong", "zero", "short", "none"])
        if fate == "none":
            call = "wallet_missing"
        elif fate == "wrong":
            good = checksummed(digits)
            places_of_letters = [place for place, letter in enumerate(good) if place > 1 and letter.isalpha()]
            place = roll.choice(places_of_letters)
            row["wallet"] = good[:place] + good[place].swapcase() + good[place + 1 :]
            letters = row["wallet"][2:]
            call = None if letters in (letters.lower(), letters.upper()) else "wallet_checksum_wrong"
        elif fate == "zero":
            row["wallet"], call = "0x" + "0" * 40, "wallet_is_zero"
        elif fate == "short":
            row["wallet"], call = "0x" + digits[:-1], "wallet_malformed"
        else:
            made = {"good": checksummed(digits), "small": "0x" + digits, "large": "0x" + digits.upper()}
            row["wallet"] = made[fate]
        name, latin = roll.choice(NAMES)
        country = roll.choice(list(SEPA) * 4 + ["BR"])
        size = SEPA.get(country, 25)
        account = iban(country, "".join(roll.choice("0123456789") for _ in range(size)))
        if roll.random() < 0.8:
            row["iban"] = roll.choice([account, grouped(account), account.lower()])
        if roll.random() < 0.9:
            row["name"] = name
        if "name" in row and roll.random() < 0.1:
            row["name"] = roll.choice(UNWRITABLE)
        if "iban" not in row:
            transfer = "account_missing"
        elif "name" not in row:
            transfer = "name_missing"
        elif row["name"] in UNWRITABLE:
            transfer = "name_not_latin"
        elif currency == "EUR" and country == "BR":
            transfer = "outside_sepa"
        rows.append(row)
        written[key] = {"call": call, "transfer": transfer, "iban": account, "name": latin}
    payable = [row for row in rows if row.get("amount_minor", 0) >= 0]
    carried = {row["id"]: row["amount_minor"] for row in rows if row.get("amount_minor", 0) < 0}
    least = sum(row.get("floor_minor", 0) if "weight" in row else max(min(row["amount_minor"], row.get("cap_minor", row["amount_minor"])), row.get("floor_minor", 0)) for row in payable)
    pool = least + roll.randrange(0, 40 * count * 10**places)
    asked = roll.random() < 0.8
    amounts = shares(pool, payable)
    payments = []
    for key in sorted(amounts):
        amount = Decimal(amounts[key]).scaleb(-places)
        if amount == 0:
            continue
        call, transfer = written[key]["call"], written[key]["transfer"]
        if currency != "USDC":
            call = "currency_not_usdc"
        elif call is None and amount > CAP:
            call = "over_payout_cap"
        if not asked:
            transfer = "no_debtor_account"
        elif currency == "USDC":
            transfer = "currency_not_iso"
        payments.append({"id": key, "amount": f"{amount:f}", "call": call, "transfer": transfer, "iban": written[key]["iban"], "name": written[key]["name"]})
    roll.shuffle(rows)
    given = {"pool": {"amount_minor": pool, "currency": currency}, "recipients": rows}
    if asked:
        given["credit_transfer"] = {
            "debtor": {"name": "Größte Gesellschaft", "iban": grouped(iban("DE", "370400440532013000"))},
            "execution_date": "2026-07-15",
            "created_at": "2026-07-13T09:00:00Z",
            "remittance": "Q2 <2026> & more",
        }
    listed = [one for one in payments if one["transfer"] is None]
    called = [one for one in payments if one["call"] is None]
    return {
        "input": given,
        "truth": {
            "payments": payments,
            "carried": dict(sorted(carried.items())),
            "transactions": len(listed),
            "control_sum": total(one["amount"] for one in listed),
            "calls": len(called),
            "calls_sum": total(one["amount"] for one in called),
        },
    }


def read(text):
    space = "{urn:iso:std:iso:20022:tech:xsd:pain.001.001.09}"
    root = ElementTree.fromstring(text)
    at = lambda node, path: node.findtext("/".join(space + name for name in path.split("/")))
    body = root.find(f"{space}CstmrCdtTrfInitn")
    block = body.find(f"{space}PmtInf")
    transfers = block.findall(f"{space}CdtTrfTxInf")
    rows = []
    for one in transfers:
        amount = one.find(f"{space}Amt/{space}InstdAmt")
        rows.append(
            {
                "id": at(one, "PmtId/EndToEndId"),
                "amount": amount.text,
                "currency": amount.get("Ccy"),
                "name": at(one, "Cdtr/Nm"),
                "iban": at(one, "CdtrAcct/Id/IBAN"),
                "text": at(one, "RmtInf/Ustrd"),
            }
        )
    return {
        "counts": [int(at(body, "GrpHdr/NbOfTxs")), int(at(block, "NbOfTxs")), len(transfers)],
        "sums": [total([value]) for value in (at(body, "GrpHdr/CtrlSum"), at(block, "CtrlSum"))],
        "sum": total(row["amount"] for row in rows),
        "level": at(block, "PmtTpInf/SvcLvl/Cd"),
        "debtor": [at(block, "Dbtr/Nm"), at(block, "DbtrAcct/Id/IBAN")],
        "rows": rows,
    }


print(json.dumps(read(sys.stdin.read()) if sys.argv[1] == "read" else planted(int(sys.argv[1]))))
