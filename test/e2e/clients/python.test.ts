import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { type PastingStack, startPastingStack } from '../../support/pasting.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-python-'))
const python = join(scratch, 'bin', 'python')
const package_ = join(packageRoot, 'clients', 'python')
const copy = join(scratch, 'source')

/** Why the package cannot be installed here; undefined where it is installed. */
const missing = ((): string | undefined => {
  try {
    execFileSync('python3', ['-m', 'venv', scratch], { stdio: 'pipe' })
    // A build writes next to the sources, so it is given a copy of them.
    execFileSync('cp', ['-r', package_, copy])
    execFileSync(process.execPath, ['dist/worker/python-client.js', copy], {
      cwd: packageRoot,
      stdio: 'pipe',
    })
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', `${copy}[wallet]`, 'mypy==2.4.1'], {
      stdio: 'pipe',
    })
    return undefined
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error)
  }
})()
if (missing !== undefined)
  console.warn(`the Python package is not tested, because it cannot be installed: ${missing}`)

let stack: PastingStack
beforeAll(async () => {
  stack = await startPastingStack()
})
afterAll(async () => {
  await stack?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

describe.skipIf(missing !== undefined)('the Python package', () => {
  verifies('client.python', 'the package and its examples pass a strict type checker', async () => {
    const examples = readdirSync(join(packageRoot, 'examples'))
      .filter((name) => name.endsWith('.py') && name !== 'sandbox.py')
      .map((name) => `examples/${name}`)
    const mypy = ['-m', 'mypy', '--strict', join(copy, 'agent_rails')]
    const checked = await stack.run(python, ...mypy, ...examples)
    expect(checked).toMatch(/Success: no issues found/)
  })

  verifies('client.readme', 'the program of its README runs and verifies its receipt', async () => {
    const page = readFileSync(join(package_, 'README.md'), 'utf8')
    const [, shown = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? []
    const program = join(scratch, 'readme.py')
    writeFileSync(program, stack.here(shown))
    const printed = await stack.run(python, program)
    expect(printed).toMatch(/^closed proven \{/)
    expect(printed).toMatch(/signed: attestation\n$/)
  })

  verifies('client.python', 'its examples move a payout and work on three rails', async () => {
    expect(await stack.run(python, 'examples/payout.py')).toMatch(
      /^created +po_\w{64}\nexecuted +0x\w{64}\nreceipt +payout_created\nreceipt +payout_authorized\nreceipt +payout_executed\n$/,
    )
    const runs = await stack.run(python, 'examples/many_runs.py')
    expect(
      runs
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/)),
    ).toEqual([
      ['tokenops', 'closed'],
      ['financeops', 'closed'],
      ['energyops', 'closed'],
    ])
  })

  verifies(
    'client.python',
    'a paid call whose answer is lost is repeated and paid once',
    async () => {
      const program = join(scratch, 'lost-answer.py')
      writeFileSync(program, stack.here(lostAnswer))
      expect(JSON.parse(await stack.run(python, program))).toEqual({
        lost: 1,
        payments: 1,
        replayed: true,
      })
    },
  )

  verifies('payouts.submit', 'payouts that are submitted again are created once', async () => {
    const program = join(scratch, 'submit.py')
    writeFileSync(program, stack.here(submitted))
    expect(JSON.parse(await stack.run(python, program))).toEqual([
      ['created', false, 'created', true],
      ['created', false, 'created', true],
      ['refused', 'payout_cap_exceeded', 'refused', 'payout_cap_exceeded'],
    ])
  })

  verifies('client.python', 'it agrees with the published vectors of receipts', async () => {
    expect(await stack.run(python, '-c', vectors)).toMatch(/^agrees with \d{2,} of receipt.json\n$/)
  })
})

verifies('client.examples', 'the other examples run as they are', async () => {
  expect(await stack.run(process.execPath, 'examples/mcp.mjs')).toBe('closed through agent-rails\n')
  expect(await stack.run(process.execPath, 'examples/faulty-input.mjs')).toMatch(
    /^refused: input_rejected\n +out_of_bounds .*\n +wrong_format .*\nstarted: run_\w{64} \w+\n$/,
  )
  expect(await stack.run('bash', 'examples/verify.sh')).toContain('proof_hash')
})

/** The first answer of a paid call is lost on its way: the client gets an error of the connection instead. */
const lostAnswer = `
import json, uuid
from pathlib import Path
import httpx
from agent_rails import Access, Client, operations
from agent_rails.wallet import LocalWallet, X402Payer

BASE = "http://127.0.0.1:3000"
accounts = json.loads(Path(".data/demo/accounts.json").read_text())
counts = {"lost": 0, "payments": set()}

class Losing(httpx.HTTPTransport):
    def handle_request(self, request):
        response = super().handle_request(request)
        payment = request.headers.get("payment-signature")
        if payment is not None:
            counts["payments"].add(payment)
            if counts["lost"] == 0:
                response.read()
                counts["lost"] = 1
                raise httpx.ReadError("the answer is lost", request=request)
        return response

with Client(Access(BASE), httpx.Client(transport=Losing(), timeout=40)) as service:
    contract = service.call(operations.TRUST_CONTRACT({})).body
    asset = contract["payout"]["asset"]
    wallet = LocalWallet.of(accounts["agents"][0]["private_key"])
    agent = service.using(
        Access(BASE, wallet=wallet, payer=X402Payer(wallet, asset=asset, max_per_call=100_000))
    )
    answer = agent.call(operations.PAYOUT_CREATE({
        "recipient": accounts["agents"][1]["address"], "amount_usdc": "0.1", "idempotency_key": str(uuid.uuid4()),
        "memo": "a lost answer", "rail_reference": "lost", "usage": "synthetic",
    }))
print(json.dumps({"lost": counts["lost"], "payments": len(counts["payments"]), "replayed": answer.replayed}))
`

const submitted = `
import json, uuid
from pathlib import Path
from agent_rails import Access, Client, operations, read_payout_bodies, submit_payouts
from agent_rails.wallet import LocalWallet, X402Payer

BASE = "http://127.0.0.1:3000"
accounts = json.loads(Path(".data/demo/accounts.json").read_text())
lines = [{
    "recipient": accounts["agents"][1]["address"], "amount_usdc": amount, "idempotency_key": str(uuid.uuid4()),
    "memo": "from a file", "rail_reference": "python", "usage": "synthetic",
} for amount in ("0.1", "0.2", "25.000001")]
bodies = read_payout_bodies("\\n".join(json.dumps(line) for line in lines))
for wrong in ("{}", json.dumps(lines[0]) + "\\n" + json.dumps(lines[0])):
    try:
        read_payout_bodies(wrong)
        raise AssertionError(wrong)
    except ValueError:
        pass
with Client(Access(BASE)) as service:
    asset = service.call(operations.TRUST_CONTRACT({})).body["payout"]["asset"]
    wallet = LocalWallet.of(accounts["agents"][0]["private_key"])
    payer = X402Payer(wallet, asset=asset, max_per_call=100_000)
    access = Access(BASE, wallet=wallet, payer=payer)
    first, again = (service.run(submit_payouts(access, bodies)) for _ in range(2))
shown = lambda one: [one.outcome, one.code or one.repeated]
print(json.dumps([[*shown(one), *shown(other)] for one, other in zip(first, again)]))
`

const vectors = `
import json
from agent_rails import Access, InvalidReceiptError, verify_receipt

with open("test/vectors/receipt.json") as file:
    published = json.load(file)

def verdict(vector):
    try:
        verify_receipt(vector["artifact"], published["keys"][vector["keys"]])
    except InvalidReceiptError:
        return False
    return True

texts = [vector for vector in published["vectors"] if isinstance(vector["artifact"], str)]
assert "secret" not in repr(Access("http://x", agent="ag_secret", status_token="secret", operator="op_secret"))
for vector in texts:
    assert verdict(vector) == (vector["expect"]["verdict"] == "valid"), vector["name"]
print(f"agrees with {len(texts)} of receipt.json")
`
