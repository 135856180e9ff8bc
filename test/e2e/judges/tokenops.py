"""Makes usage with planted truths and prices it with Decimal, apart from the rail: prints one JSON document.

    python3 tokenops.py SEED
"""
import json
import random
import sys
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from decimal import Decimal, getcontext

getcontext().prec = 60
random.seed(int(sys.argv[1]))
ROWS = 5_000
EUR = Decimal('0.92345678')
START = datetime(2026, 10, 1, tzinfo=timezone.utc)

# Dollars for a million tokens: input, cached, cache write, output, reasoning, batch input, batch output.
FIRST = {
    'claude-3-5-sonnet-20241022': ('3', '0.3', '3.75', '15', None, '1.5', '7.5'),
    'claude-3-haiku': ('0.25', '0.03', '0.3', '1.25', None, None, None),
    'gpt-4o': ('2.5', '1.25', None, '10', None, '1.25', '5'),
    'gpt-4o-mini': ('0.15', '0.075', None, '0.6', None, '0.075', '0.3'),
    'o3': ('2', '0.5', None, '8', '8.5', None, None),
    'gemini-2-5-pro': ('1.25', '0.125', '1.625', '10', None, None, None),
}
# A price cut on 16 October.
CUT_DAY = '2026-10-16'
CUT = {'gpt-4o': ('2', '0.5', None, '8', None, '1', '4')}
SPELLINGS = {
    'claude-3-5-sonnet-20241022': ['claude-3-5-sonnet-20241022', 'anthropic/claude-3.5-sonnet',
                                   'us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-latest'],
    'claude-3-haiku': ['claude-3-haiku', 'Claude 3 Haiku', 'claude-3-haiku-20240307'],
    'gpt-4o': ['gpt-4o', 'openai/gpt-4o', 'GPT-4o '],
    'gpt-4o-mini': ['gpt-4o-mini', 'GPT-4o-mini', 'gpt-4o-mini-2024-07-18'],
    'o3': ['o3', 'the-thinker'],
    'gemini-2-5-pro': ['gemini-2-5-pro', 'gemini-2.5-pro', 'models/gemini-2.5-pro'],
}
KEYS = ('input', 'cached', 'write', 'output', 'reasoning', 'batch_input', 'batch_output')


def price_of(model, day):
    row = CUT[model] if model in CUT and day >= CUT_DAY else FIRST[model]
    return {key: None if value is None else Decimal(value) for key, value in zip(KEYS, row)}


def per_million(model, row, **more):
    names = ('input', 'cached_input', 'cache_write', 'output', 'reasoning', 'batch_input', 'batch_output')
    prices = {f'{name}_per_million_minor': str(Decimal(value) * 100) for name, value in zip(names, row) if value}
    return {'model': model, 'currency': 'USD', **prices, **more}


def per_token(model, row, **more):
    names = ('input_cost_per_token', 'cache_read_input_token_cost', 'cache_creation_input_token_cost',
             'output_cost_per_token', 'output_cost_per_reasoning_token', 'input_cost_per_token_batches',
             'output_cost_per_token_batches')
    prices = {name: str(Decimal(value) / 1_000_000) for name, value in zip(names, row) if value}
    return {'model': model, 'currency': 'USD', **prices, **more}


def dollars(model, day, whole_in, cached, write, whole_out, reasoning, batch):
    """Dollars of one request, each kind of token at its price; reasoning is output without one, and others count for nothing."""
    price = price_of(model, day)

    def known(kind):
        return Decimal(0) if price[kind] is None else price[kind]

    plain_in, plain_out = (known('batch_input'), known('batch_output')) if batch else (price['input'], price['output'])
    cost = (whole_in - cached - write) * plain_in + (whole_out - reasoning) * plain_out
    cost += reasoning * (plain_out if batch or price['reasoning'] is None else price['reasoning'])
    if not batch:
        cost += cached * known('cached') + write * known('write')
    return cost / 1_000_000


def text(value):
    """Shortest decimal text without an exponent."""
    shown = format(value, 'f')
    return (shown.rstrip('0').rstrip('.') if '.' in shown else shown) or '0'


prices = []
for index, (model, row) in enumerate(FIRST.items()):
    prices.append((per_million if index % 2 == 0 else per_token)(model, row))
for model, row in CUT.items():
    prices.append(per_token(model, row, **{'from': CUT_DAY}))

usage, planted, duplicates, unpriced = [], [], 0, 0
sums = {name: defaultdict(Decimal) for name in ('model', 'agent', 'day', 'task', 'customer', 'team')}
total = Decimal(0)
for index in range(ROWS):
    moment = START + timedelta(seconds=random.randrange(31 * 86_400))
    day = moment.date().isoformat()
    offset = random.choice([0, 0, 120, -300])
    local = moment.astimezone(timezone(timedelta(minutes=offset)))
    at = moment.strftime('%Y-%m-%dT%H:%M:%SZ') if offset == 0 else local.isoformat()
    model = random.choice(list(FIRST))
    tail = random.lognormvariate(0, 1.0) if model.startswith('gpt') else 0.6 * random.paretovariate(2.2)
    whole_in, whole_out = int(400 * tail) + 20, int(90 * tail) + 5
    runaway = random.random() < 0.008
    if runaway:
        factor = random.uniform(800, 4_000)
        whole_in, whole_out = int(400 * factor), int(90 * factor)
    cached = int(whole_in * random.choice([0, 0, 0.4])) if not runaway else 0
    write = int(whole_in * random.choice([0, 0, 0.1])) if not runaway else 0
    reasoning = int(whole_out * random.choice([0, 0.5]))
    batch = not runaway and random.random() < 0.1
    # Services count and batch what they have a price for; o3 is left with writes that its price does not have.
    known = price_of(model, day)
    batch = batch and known['batch_input'] is not None
    if batch or (model != 'o3' and known['write'] is None):
        write = 0
    if batch:
        cached = 0
    row = {
        'at': at, 'model': random.choice(SPELLINGS[model]), 'input_tokens': whole_in, 'output_tokens': whole_out,
        'cached_input_tokens': cached, 'cache_write_tokens': write, 'reasoning_tokens': reasoning, 'batch': batch,
        'request_id': f'req-{index}', 'agent': f'agent-{random.randrange(8)}', 'task': f'task-{random.randrange(200)}',
        'customer': f'customer-{random.randrange(40)}', 'tags': {'team': f'team-{random.randrange(5)}'},
    }
    if random.random() < 0.01:
        usage.append({**row, 'model': 'unknown-9'})
        unpriced += 1
        continue
    usage.append(row)
    if runaway:
        planted.append(row['request_id'])
    minor = dollars(model, day, whole_in, cached, write, whole_out, reasoning, batch) * 100 * EUR
    total += minor
    for name, key in (('model', model), ('agent', row['agent']), ('day', day), ('task', row['task']),
                      ('customer', row['customer']), ('team', row['tags']['team'])):
        sums[name][key] += minor
for row in random.sample(usage, 94):
    duplicates += 1
    usage.append(dict(row))
random.shuffle(usage)

print(json.dumps({
    'input': {
        'price_table': prices, 'currency': 'EUR', 'exchange_rates': [{'from': 'USD', 'to': 'EUR', 'rate': str(EUR)}],
        'aliases': [{'name': 'the-thinker', 'model': 'o3'}], 'budget_minor': 10_000_000,
        'period': {'from': '2026-10-01', 'to': '2026-10-31'}, 'usage': usage,
    },
    'truth': {
        'total': text(total), 'duplicates': duplicates, 'unpriced': unpriced, 'planted': planted,
        'sums': {name: {key: text(value) for key, value in own.items()} for name, own in sums.items()},
    },
}))
