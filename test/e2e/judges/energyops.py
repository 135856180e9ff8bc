"""Plants an energy bill with known faults: python3 energyops.py SEED prints the input and the truths.

The bill is worked out here from datetimes of the wall clock and Decimal amounts, without the formulas of the rail.
"""

import json
import random
import sys
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, getcontext
from zoneinfo import ZoneInfo

getcontext().prec = 160
seed = int(sys.argv[1])
roll = random.Random(seed * 7919)

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Europe/London"]
zone = ZoneInfo(ZONES[seed % 4])
step = [15, 30][seed % 2]
meter_unit, rate_unit = [("kWh", None), ("MWh", "kWh"), ("Wh", "kWh"), ("kWh", "MWh")][seed % 4]
# Units of the rates in one unit of the meter.
scale = {None: Decimal(1), "kWh": {"MWh": Decimal(1000), "Wh": Decimal("0.001")}.get(meter_unit), "MWh": Decimal("0.001")}[rate_unit]
first, last = [
    (date(2025, 3, 10), date(2025, 4, 22)),
    (date(2025, 10, 20), date(2025, 11, 18)),
    (date(2024, 12, 20), date(2025, 1, 20)),
    (date(2025, 3, 25), date(2025, 4, 8)),
][seed % 4]
rounding = "lines" if seed % 3 == 0 else None
per_unit = Decimal(1000) if rate_unit == "MWh" else Decimal(1)

seasons = [
    {"name": "winter", "from": "11-01", "to": "03-31"},
    {"name": "summer", "from": "04-01", "to": "10-31"},
]
holidays = ["2025-04-18", "2025-04-21", "2024-12-25", "2025-01-01", "2025-10-31", "2025-11-11"]
size = (last - first).days + 1


def money(low, high):
    return (Decimal(roll.randint(low * 1000, high * 1000)) / 1000 * per_unit).normalize()


def plain(value):
    text = format(Decimal(value).normalize(), "f")
    return "0" if text in ("-0", "0") else text


bands = [
    {"name": "free day", "days": ["holiday"], "rate_minor": plain(money(5, 9))},
    {"name": "winter peak", "seasons": ["winter"], "from": "17:00", "to": "20:00", "days": ["mon", "tue", "wed", "thu", "fri"], "rate_minor": plain(money(40, 60))},
    {"name": "summer night", "seasons": ["summer"], "from": "22:30", "to": "05:30", "rate_minor": plain(money(8, 14))},
    {
        "name": "rest",
        "blocks_per": "day" if seed % 2 else "bill",
        "blocks": [
            {"from": 0, "to": plain((Decimal(4) if seed % 2 else Decimal(90)) / per_unit), "rate_minor": plain(money(15, 20))},
            {"from": plain((Decimal(4) if seed % 2 else Decimal(90)) / per_unit), "to": plain((Decimal(9) if seed % 2 else Decimal(210)) / per_unit), "rate_minor": plain(money(21, 27))},
            {"from": plain((Decimal(9) if seed % 2 else Decimal(210)) / per_unit), "rate_minor": plain(money(28, 36))},
        ],
    },
]
demand = [
    {"name": "peak demand", "rate_minor": plain(money(100, 300)), "per": "month", "window_minutes": 60, "from": "07:00", "to": "21:00", "days": ["mon", "tue", "wed", "thu", "fri"]},
    {"name": "any time", "rate_minor": plain(money(50, 90)), "minimum": plain((Decimal(1) if seed % 2 else Decimal(99)) / per_unit)},
]
feed_in = [
    {"name": "noon", "from": "11:00", "to": "14:00", "rate_minor": plain(money(4, 6))},
    {"name": "other", "rate_minor": plain(money(7, 9))},
]
taxes = [
    {"name": "levy", "rate_minor": plain(money(1, 2))},
    {"name": "fee", "percent": "3.75", "on": ["energy", "demand"]},
    {"name": "vat", "percent": "19", "on": ["energy", "demand", "standing", "feed_in", "tax"]},
]
standing = Decimal("53.37")


def instants():
    now = datetime(first.year, first.month, first.day, tzinfo=zone).astimezone(timezone.utc)
    after = last + timedelta(days=1)
    end = datetime(after.year, after.month, after.day, tzinfo=zone).astimezone(timezone.utc)
    while now < end:
        yield now
        now += timedelta(minutes=step)


def value(low, high):
    """A value of the meter with at most six places, and the energy in units of the rates."""
    units = Decimal(roll.randint(low, high)) / 1000  # kWh
    given = {"kWh": units, "MWh": units / 1000, "Wh": units * 1000}[meter_unit]
    return given, given * scale


times = list(instants())
drawn = [(at, *value(20, 1900)) for at in times]
fed = [(at, *value(0, 700)) for at in times]
# One interval of what was fed in without a usable reading leaves its band open, and the taxes on it; it fed in nothing.
whole = seed % 5 != 0
if not whole:
    fed[0] = (times[0], Decimal(0), Decimal(0))


def stamp(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def applies(one, at):
    local = at.astimezone(zone)
    day = local.date()
    kind = "holiday" if day.isoformat() in holidays else ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][day.weekday()]
    if "days" in one and kind not in one["days"]:
        return False
    if "seasons" in one:
        season = "summer" if 4 <= day.month <= 10 else "winter"
        if season not in one["seasons"]:
            return False
    begin, end = one.get("from", "00:00"), one.get("to", "00:00")
    clock = local.strftime("%H:%M")
    if begin == end:
        return True
    return begin <= clock < end if begin < end else clock >= begin or clock < end


def band_of(table, at):
    return next((one["name"] for one in table if applies(one, at)), None)


def minor(amount):
    return int(amount.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def counted(amount):
    return Decimal(minor(amount)) if rounding == "lines" else amount


charges = []


def charge(kind, name, block, month, quantity, rate, amount, stated=None):
    charges.append({"kind": kind, "name": name, "block": block, "month": month, "quantity": quantity, "amount": counted(amount), "rate": stated or rate})


def priced(kind, table, rows, sign):
    totals = {}
    for at, _given, energy in rows:
        name = band_of(table, at)
        totals[name] = totals.get(name, Decimal(0)) + energy
    for one in table:
        if one["name"] not in totals:
            continue
        total = totals[one["name"]]
        if "blocks" not in one:
            charge(kind, one["name"], None, None, sign * total, Decimal(one["rate_minor"]), sign * total * Decimal(one["rate_minor"]))
            continue
        factor = size if one["blocks_per"] == "day" else 1
        for number, block in enumerate(one["blocks"], 1):
            upper = min(total, Decimal(block["to"]) * factor) if "to" in block else total
            part = upper - min(total, Decimal(block["from"]) * factor)
            if part > 0:
                charge(kind, one["name"], number, None, sign * part, Decimal(block["rate_minor"]), sign * part * Decimal(block["rate_minor"]))
    return totals


by_band = priced("energy", bands, drawn, 1)
peaks = []
for one in demand:
    minutes = one.get("window_minutes", step)
    windows = {}
    for at, _given, energy in drawn:
        start = times[0] + timedelta(minutes=minutes) * int((at - times[0]) / timedelta(minutes=minutes))
        windows.setdefault(start, []).append(energy)
    best = {}
    for start, parts in windows.items():
        if len(parts) * step < minutes or not applies(one, start):
            continue
        month = start.astimezone(zone).strftime("%Y-%m") if one.get("per") == "month" else None
        power = sum(parts) * 60 / minutes
        if month not in best or power > best[month][0]:
            best[month] = (power, start)
    months = sorted({(first + timedelta(days=n)).strftime("%Y-%m") for n in range(size)}) if one.get("per") == "month" else [None]
    for month in months:
        power, start = best.get(month, (None, None))
        billed = max(power or Decimal(0), Decimal(one.get("minimum", 0)))
        peaks.append([one["name"], month, None if start is None else stamp(start), None if power is None else plain(power), plain(billed)])
        charge("demand", one["name"], None, month, billed, Decimal(one["rate_minor"]), billed * Decimal(one["rate_minor"]))
charge("standing", None, None, None, Decimal(size), standing, size * standing)
priced("feed_in", feed_in, fed, -1)
everything = sum(energy for _at, _given, energy in drawn)
charge("tax", "levy", None, None, everything, Decimal(taxes[0]["rate_minor"]), everything * Decimal(taxes[0]["rate_minor"]))
for tax in taxes[1:]:
    base = sum(one["amount"] for one in charges if one["kind"] in tax["on"])
    charge("tax", tax["name"], None, None, base, Decimal(tax["percent"]) / 100, base * Decimal(tax["percent"]) / 100, Decimal(tax["percent"]))
total = sum(one["amount"] for one in charges)



def is_open(one):
    if whole:
        return False
    if one["kind"] == "feed_in":
        return one["name"] == band_of(feed_in, times[0])
    return any(tax["name"] == one["name"] and "feed_in" in tax.get("on", []) for tax in taxes) and one["kind"] == "tax"


# The bill: each charge on a line, some of them wrong in a known way.
lines, judged = [], []
faults = ["agrees", "rate_differs", "quantity_differs", "quantity_and_rate_differ", "wrong_product", "amount_differs", "not_billed", "billed_twice"]
for number, one in enumerate(charges):
    fault = faults[(number + seed) % len(faults)]
    is_share = one["kind"] == "tax" and one["name"] != "levy"
    if abs(one["amount"]) < 40 or (is_share and fault not in ("agrees", "amount_differs", "not_billed")):
        fault = "agrees"
    line = {"kind": one["kind"]}
    for member in ("name", "block", "month"):
        if one[member] is not None:
            line[member] = one[member]
    quantity = abs(one["quantity"]).quantize(Decimal("0.001") / per_unit if not is_share else Decimal("0.001"), rounding=ROUND_HALF_UP)
    rate, amount = one["rate"], minor(one["amount"])
    sign = -1 if one["amount"] < 0 else 1
    if fault in ("quantity_differs", "quantity_and_rate_differ"):
        quantity = (quantity * Decimal("1.25") + Decimal("0.001")).quantize(quantity)
        amount = minor(sign * quantity * rate)
    if fault in ("rate_differs", "quantity_and_rate_differ"):
        rate = rate * Decimal("1.5")
        amount = minor(sign * quantity * rate)
    if fault in ("wrong_product", "amount_differs"):
        amount += 17
    if fault != "amount_differs" and not is_share:
        line["quantity"], line["rate"] = plain(quantity), plain(rate)
    line["amount_minor"] = amount
    reason = "undetermined" if is_open(one) else fault
    truth = [one["kind"], one["name"], one["block"], one["month"], amount, plain(one["amount"]), amount - minor(one["amount"]), reason]
    if fault == "not_billed":
        judged.append([*truth[:4], None, truth[5], -minor(one["amount"]), "not_billed"])
        continue
    lines.append(line)
    judged.append(truth)
    if fault == "billed_twice":
        truth[7] = "undetermined" if is_open(one) else "agrees"
        lines.append(dict(line))
        judged.append([*truth[:5], "0", amount, "billed_twice"])
lines.append({"kind": "demand", "name": "meter rent", "amount_minor": 250})
judged.append(["demand", "meter rent", None, None, 250, "0", 250, "not_in_tariff"])
billed = sum(line["amount_minor"] for line in lines)

readings = [{"at": stamp(at), "value": plain(given)} for at, given, _energy in drawn]
exports = [{"at": stamp(at), "value": plain(given)} for at, given, _energy in fed]
repeated = roll.sample(readings, 5)
roll.shuffle(readings)
readings += repeated + [{"at": stamp(times[0] - timedelta(minutes=step)), "value": 3}]
if not whole:
    # Two readings that differ: none of them counts.
    exports.append({"at": exports[0]["at"], "value": "9"})

result = {
    "input": {
        "meter": {"id": f"meter-{seed}", "unit": meter_unit, "interval_minutes": step, "time_zone": zone.key},
        "tariff": {
            "currency": "EUR",
            **({"rate_unit": rate_unit} if rate_unit else {}),
            **({"rounding": rounding} if rounding else {}),
            "standing_per_day": plain(standing),
            "seasons": seasons,
            "holidays": holidays,
            "bands": bands,
            "demand": demand,
            "feed_in": {"bands": feed_in},
            "taxes": taxes,
        },
        "bill": {"from": first.isoformat(), "to": last.isoformat(), "total_minor": billed, "lines": lines},
        "readings": readings,
        "exports": exports,
    },
    "truth": {
        "line_items": [[one["kind"], one["name"], one["block"], one["month"], plain(one["quantity"]), plain(one["amount"])] for one in charges],
        "energy_by_band": {name: plain(energy) for name, energy in by_band.items()},
        "demand": peaks,
        "bill_lines": judged,
        "exact": plain(total),
        "rounded": minor(total),
        "difference": billed - minor(total),
        "whole": whole,
    },
}
print(json.dumps(result))
