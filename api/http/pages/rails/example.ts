import { digestOf } from '#domain/core/canonical-json.ts'
import { workOn } from '#domain/rails/input/read-input.ts'
import type { Rail } from '#domain/rails/rail.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { delivered } from '#domain/rails/work/tiers.ts'
import { SANDBOX_TIER } from '#domain/runs/sandbox.ts'

/** The worked example of a rail: a shell program that quotes, starts and fetches a run of its sample, without an agent and without money. */
export function exampleOf({ key, prices }: Rail, baseUrl: string): string {
  const quote =
    prices === null
      ? ''
      : `
# A quote reads the input first: a faulty one is refused here, with all of its faults.
send $BASE/api/agents/quote '{"rail":"${key}","tier":"${SANDBOX_TIER}","input":'"$(cat input.json)"'}'
`
  return `BASE=${baseUrl}
field() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
send() { curl -sS --fail-with-body "$1" -H 'content-type: application/json' -d "$2"; }

# The sample input of ${key}. Change the file, or use your own.
curl -sS --fail-with-body $BASE/rails/${key}/input.json > input.json
${quote}
# A synthetic run on the input. The sandbox needs no agent and no money.
TOKEN=$(send $BASE/api/agent-sandbox '{"rail":"${key}","input":'"$(cat input.json)"',
  "idempotency_key":"run-'$(openssl rand -hex 8)'"}' | field status_token)
state() { curl -sS --fail-with-body $BASE/api/agent-sandbox -H "x-status-token: $TOKEN" | field run.state; }
for _ in $(seq 90); do [ "$(state)" = closed ] && break; sleep 1; done

# Its signed return package: the files, and the result.
PACKAGE=$BASE/api/agents/status/$TOKEN/return-package
curl -sS --fail-with-body "$PACKAGE?as=zip" > ${key}.zip
curl -sS --fail-with-body $PACKAGE | field return_package.result
`
}

/** What a run of the sandbox makes of the sample input of a rail. */
export function railSample(rail: Rail) {
  const input = rail.sandboxInput
  const work = delivered(rail, SANDBOX_TIER, workOn(rail, input))
  const run = {
    run_id: 'sample',
    rail: rail.key,
    tier: SANDBOX_TIER,
    usage: 'synthetic',
    partial: false,
    input_sha256: digestOf(input),
    result_sha256: digestOf(work.result),
  } as const
  return { work, files: reportOf(run, work) }
}
