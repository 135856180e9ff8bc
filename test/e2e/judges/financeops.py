"""Makes a ledger with planted matches, apart from the rail: prints one JSON document.

    python3 financeops.py SEED

Each case has a customer of its own; its matches, what stays open and what a person has to see are known when it is made.
"""
import json
import random
import sys
from collections import defaultdict
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

random.seed(int(sys.argv[1]))
CASES = 900
AS_OF = date(2026, 6, 30)
RATES = {'USD': Decimal('0.91234567'), 'GBP': Decimal('1.1725')}
FORMS = [('{} GmbH', '{} gmbh'), ('{} Inc', '{} INC.'), ('{} S.A.', '{} SA'), ('{} & Sons Ltd', '{} and Sons Limited'),
         ('{} AG', '{}  A.G.'), ('{} Ltd.', '{}')]
LETTERS = 'bcdfghjklmnprstvwz'

invoices, payments, matches, unmatched, codes, aliases = [], [], [], [], defaultdict(int), []
number = 0


def whole(value):
    return int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP))


def names():
    word = ''.join(random.choice(LETTERS) + random.choice('aeiou') for _ in range(5)).capitalize()
    invoiced, paid = random.choice(FORMS)
    accented = word.replace('a', 'á', 1) if random.random() < 0.3 else word
    return invoiced.format(accented), paid.format(word)


def amount():
    """Of its own in the ledger, and far from every other."""
    global number
    number += 1
    return 100_000 + number * 1_000 + random.choice([10, 130, 270])


def invoice(name, minor, **more):
    row = {'id': f'INV-{100_000 + len(invoices)}', 'amount_minor': minor, 'currency': 'EUR', 'counterparty': name,
           'due_at': (AS_OF - timedelta(days=random.randrange(-20, 120))).isoformat(), **more}
    invoices.append(row)
    return row['id']


def pay(name, minor, reference=None, **more):
    row = {'id': f'BK-{100_000 + len(payments)}', 'amount_minor': minor, 'currency': 'EUR',
           'paid_at': (AS_OF - timedelta(days=random.randrange(1, 60))).isoformat(), **more}
    if name is not None:
        row['counterparty'] = name
    if reference is not None:
        row['reference'] = reference
    payments.append(row)
    return row['id']


def match(status, own, paid, credits=(), refunds=()):
    matches.append({'status': status, 'invoices': sorted(own), 'payments': sorted(paid), 'credits': sorted(credits),
                    'refunds': sorted(refunds)})


def by_name(invoiced, paid):
    one = amount()
    match('exact', [invoice(invoiced, one)], [pay(paid, one)])


def by_reference_of_unknown(invoiced, _paid):
    own = invoice(invoiced, amount())
    match('exact', [own], [pay(None, invoices[-1]['amount_minor'], f'your invoice {own.lower()}, thanks')])


def by_bare_number(invoiced, paid):
    one = amount()
    first, second = invoice(invoiced, one), invoice(invoiced, one)
    match('exact', [second], [pay(paid, one, f'Invoice no {second[4:]}')])
    unmatched.append(first)


def instalments(invoiced, paid):
    part = amount()
    own = invoice(invoiced, 3 * part)
    match('exact', [own], [pay(paid, part) for _ in range(3)])


def several(invoiced, paid):
    parts = [amount() for _ in range(3)]
    own = [invoice(invoiced, one) for one in parts]
    match('exact', own, [pay(paid, sum(parts))])


def parent(invoiced, _paid):
    payer = names()[0]
    aliases.append({'name': payer, 'party': invoiced})
    one = amount()
    match('exact', [invoice(invoiced, one)], [pay(payer, one)])


def typing_error(invoiced, paid):
    one = amount()
    other = invoice(names()[0], amount())
    match('exact', [invoice(invoiced, one)], [pay(paid, one, other)])
    unmatched.append(other)
    codes['reference_differs'] += 1


def boxes(invoiced, _paid):
    small = random.randrange(2, 900)
    while any(row['id'] == str(small) for row in invoices):
        small += 1000
    unmatched.append(invoice(invoiced, amount(), id=str(small)))
    unmatched.append(pay(names()[0], amount(), f'{small} boxes of paper'))
    codes['reference_differs'] += 1


def stated_credit(invoiced, paid):
    one, less = amount(), random.randrange(100, 90_000)
    own = invoice(invoiced, one)
    note = invoice(invoiced, -less, credits=own)
    match('exact', [own], [pay(paid, one - less, own)], credits=[note])


def silent_credit(invoiced, paid):
    one, less = amount(), random.randrange(100, 90_000)
    own, note = invoice(invoiced, one), invoice(invoiced, -less)
    match('exact', [own], [pay(paid, one - less)], credits=[note])


def cancelled(invoiced, _paid):
    one = amount()
    own, note = invoice(invoiced, one), invoice(invoiced, -one)
    match('exact', [own], [], credits=[note])


def refunded(invoiced, paid):
    one, more = amount(), random.randrange(5_000, 50_000)
    own = invoice(invoiced, one)
    paid_id = pay(paid, one + more, own)
    match('exact', [own], [paid_id], refunds=[pay(paid, -more)])


def discounted(invoiced, paid):
    one, percent = amount(), random.choice(['2', '3', '1.5'])
    off = whole(Decimal(one) * Decimal(percent) / 100)
    day = AS_OF - timedelta(days=30)
    own = invoice(invoiced, one, discount_percent=percent, discount_until=day.isoformat())
    match('discounted', [own], [pay(paid, one - off, paid_at=(day - timedelta(days=random.randrange(5))).isoformat())])


def too_late(invoiced, paid):
    one, day = amount(), AS_OF - timedelta(days=30)
    own = invoice(invoiced, one, discount_percent='2', discount_until=day.isoformat())
    other = invoice(invoiced, amount())
    short = pay(paid, one - whole(Decimal(one) * 2 / 100), own, paid_at=(day + timedelta(days=1)).isoformat())
    match('partial', [own], [short])
    unmatched.append(other)
    codes['partial_payment'] += 1


def exchanged(invoiced, paid):
    currency, rate = random.choice(list(RATES.items()))
    foreign = amount()
    own = invoice(invoiced, whole(Decimal(foreign) * rate))
    match('exact', [own], [pay(paid, foreign, currency=currency)])


def small_difference(invoiced, paid):
    one = amount()
    match('within_tolerance', [invoice(invoiced, one)], [pay(paid, one - 40)])


def paid_too_much(invoiced, paid):
    one = amount()
    own = invoice(invoiced, one)
    match('over', [own], [pay(paid, one + 7_000, f'Rechnung {own}')])
    codes['over_payment'] += 1


def open_and_stray(invoiced, _paid):
    unmatched.append(invoice(invoiced, amount()))
    unmatched.append(pay(names()[0], amount()))


kinds = [by_name, by_reference_of_unknown, by_bare_number, instalments, several, parent, typing_error, boxes, stated_credit,
         silent_credit, cancelled, refunded, discounted, too_late, exchanged, small_difference, paid_too_much, open_and_stray]
for index in range(CASES):
    kinds[index % len(kinds)](*names())

# What is open on each invoice: its amount less credit notes, less payments of the truth that reach it.
by_id = {row['id']: row for row in invoices}
open_minor = {row['id']: row['amount_minor'] for row in invoices if row['amount_minor'] > 0}
paid_by = {row['id']: row for row in payments}
for one in matches:
    if one['status'] != 'partial':
        for own in one['invoices']:
            open_minor[own] = 0
    else:
        open_minor[one['invoices'][0]] -= sum(paid_by[paid]['amount_minor'] for paid in one['payments'])
buckets = defaultdict(int)
for own, left in open_minor.items():
    late = (AS_OF - date.fromisoformat(by_id[own]['due_at'])).days
    name = ('not_due' if late <= 0 else 'days_1_30' if late <= 30 else 'days_31_60' if late <= 60 else
            'days_61_90' if late <= 90 else 'over_90')
    buckets[f'{name}_minor'] += left

random.shuffle(invoices)
random.shuffle(payments)
print(json.dumps({
    'input': {
        'tolerance_minor': 100, 'as_of': AS_OF.isoformat(), 'party_aliases': aliases,
        'exchange_rates': [{'from': currency, 'to': 'EUR', 'rate': str(rate)} for currency, rate in RATES.items()],
        'invoices': invoices, 'payments': payments,
    },
    'truth': {'matches': matches, 'unmatched': sorted(unmatched), 'codes': codes, 'ageing': buckets,
              'open_minor': sum(open_minor.values())},
}))
