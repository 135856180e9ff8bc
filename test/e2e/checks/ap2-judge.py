"""Judges this service by the SDK of AP2: reads cases as JSON from stdin, and prints its verdicts as JSON."""
import json
import logging
import pathlib
import sys

sdk = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(sdk / 'python'))
logging.disable(logging.CRITICAL)

from ap2.sdk import constraints  # noqa: E402
from ap2.sdk.generated.open_checkout_mandate import LineItemRequirements  # noqa: E402
from ap2.sdk.generated.open_payment_mandate import OpenPaymentMandate  # noqa: E402
from ap2.sdk.generated.payment_mandate import PaymentMandate  # noqa: E402
from ap2.sdk.generated.types.merchant import Merchant  # noqa: E402
from ap2.sdk.mandate import MandateClient  # noqa: E402
from ap2.sdk.max_flow_helper import evaluate_line_items_max_flow  # noqa: E402
from jsonschema import Draft202012Validator  # noqa: E402
from jwcrypto.jwk import JWK  # noqa: E402
from referencing import Registry, Resource  # noqa: E402

schemas = [json.loads(path.read_text()) for path in (sdk / 'schemas' / 'ap2').rglob('*.json')]
registry = Registry().with_resources([(s['$id'], Resource.from_contents(s)) for s in schemas])
by_vct = {
    s['properties']['vct']['const']: Draft202012Validator(s, registry=registry)
    for s in schemas
    if 'vct' in s.get('properties', {})
}


def chain(case):
    """Whether the SDK accepts a chain, and whether each mandate fits the JSON Schema of its vct."""
    key = JWK(**case['key'])
    try:
        payloads = MandateClient().verify(
            case['presentation'],
            lambda _token: key,
            expected_aud=case['aud'],
            expected_nonce=case['nonce'],
            current_time=case['now'],
        )
    except Exception as error:
        return {'accepted': False, 'detail': f'{type(error).__name__}: {error}'}
    faults = [e.message for p in payloads for e in by_vct[p['vct']].iter_errors(p)]
    return {'accepted': True, 'faults': faults, 'payloads': payloads}


def payment(base, vector):
    open_mandate = OpenPaymentMandate.model_validate(
        {**base['open'], **vector.get('open', {}), 'constraints': vector['constraints']}
    )
    closed = PaymentMandate.model_validate({**base['closed'], **vector.get('closed', {})})
    past = vector.get('history', {})
    context = constraints.MandateContext(
        total_amount=past.get('spent', 0),
        total_uses=past.get('occurrences', 0),
        last_used_date=past.get('last_at'),
    )
    return constraints.check_payment_constraints(
        open_mandate, closed, base['open_checkout_hash'], context
    )


class Line:
    """What the evaluator of the SDK reads of a line item."""

    def __init__(self, item):
        self.item = type('Item', (), {'id': item['id']})
        self.quantity = item['quantity']


def checkout(base, vector):
    needed = [LineItemRequirements.model_validate(one) for one in vector['requirements']]
    broken = evaluate_line_items_max_flow([Line(item) for item in vector['items']], needed)
    if 'merchants' in vector:
        merchant = Merchant.model_validate(base['merchant'])
        allowed = [Merchant.model_validate(one) for one in vector['merchants']]
        if not any(constraints.merchant_matches(one, merchant) for one in allowed):
            broken = [*broken, 'merchant not allowed']
    return broken


def verdict(broken):
    return 'refused' if broken else 'accepted'


def made(case):
    """A chain that the SDK makes: an open mandate by a new root key, closed by a new agent key."""
    root = JWK.generate(kty='EC', crv='P-256', kid='sdk-root')
    agent = JWK.generate(kty='EC', crv='P-256')
    cnf = {'jwk': json.loads(agent.export_public())}
    open_mandate = OpenPaymentMandate.model_validate({**case['open'], 'cnf': cnf})
    client = MandateClient()
    token = client.create([open_mandate], root)
    closed = PaymentMandate.model_validate(case['closed'])
    presentation = client.present(agent, token, [closed], aud=case['aud'], nonce=case['nonce'])
    return {'presentation': presentation, 'key': json.loads(root.export_public())}


asked = json.load(sys.stdin)
vectors = asked['vectors']
base = vectors['base']
print(
    json.dumps(
        {
            'chains': [chain(case) for case in asked['chains']],
            'payments': [verdict(payment(base, one)) for one in vectors['payments']],
            'checkouts': [verdict(checkout(base, one)) for one in vectors['checkouts']],
            'made': made(asked['made']),
        }
    )
)
