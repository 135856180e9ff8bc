import {
  COUNTERPART_STEP,
  type PlannedStep,
  type SuiteName,
  suites,
} from '#domain/harness/suites.ts'
import { exchangeDigests, type PlayedStep, transcriptHash } from '#domain/harness/transcript.ts'
import type {
  CounterpartSteps,
  HarnessSteps,
  StepSnapshot,
} from '../../workflows/harness/activities.ts'
import type { SendOutgoing } from '../http/outgoing.ts'
import { readDocument } from '../http/read-document.ts'
import { whileAlive } from '../runs/heartbeat.ts'
import {
  endHarnessRun,
  findHarnessRun,
  findHarnessStep,
  type HarnessRunRow,
  keepHarnessStep,
  listHarnessSteps,
} from '../store/harness/runs.ts'
import type { Tx } from '../store/postgres/db.ts'
import { type SessionDeps, Unmet } from './session.ts'
import { agentToAgent } from './suites/agent-to-agent.ts'
import { credentialEnforcement } from './suites/credential-enforcement.ts'
import { externalAgent } from './suites/external-agent.ts'
import { externalInvocation } from './suites/external-invocation.ts'
import type { Script } from './suites/scripts.ts'
import { type Origins, openSurface } from './surface.ts'

const scripts: Readonly<Record<SuiteName, Readonly<Record<string, Script>>>> = {
  'agent-to-agent-test-harness': agentToAgent,
  'external-agent-invocation-test': externalInvocation,
  'external-agent-agent-test': externalAgent,
  'credential-enforcement-agent-test': credentialEnforcement,
}

type HarnessDeps = SessionDeps & { readonly origins: Origins }

/** The steps that play a test against the running service, over HTTP and MCP and as agents of the sandbox alone. */
export function createHarnessSteps(deps: HarnessDeps): HarnessSteps {
  const { db } = deps
  return {
    playHarnessStep: (testRunId, step) =>
      playOnce(db, { testRunId, step }, (run, planned) =>
        whileAlive(({ signal }) => play(deps, { run, planned, signal })),
      ),
    endHarness: async (testRunId) => {
      const run = await findHarnessRun(db, testRunId)
      if (run === undefined) return null
      await keepLostSteps(db, run)
      const played = await listHarnessSteps(db, testRunId)
      const passed = played.filter(({ ok }) => ok).length
      const totals = { passed, failed: run.steps.length - passed }
      const transcript_hash = transcriptHash(run.suite, played)
      await endHarnessRun(db, testRunId, { ...totals, transcript_hash })
      return totals
    },
  }
}

/** A step that could not be played to its end has failed. */
async function keepLostSteps(db: Tx, run: HarnessRunRow): Promise<void> {
  for (const step of run.steps) {
    const { expected } = plannedStep(run, step)
    const lost = { step, expected, ok: false, detail: 'it could not be played', status: null }
    const played = { ...lost, ms: 0, exchanges: [], ...exchangeDigests([]) }
    await keepHarnessStep(db, run.test_run_id, played)
  }
}

type CounterpartDeps = { readonly db: Tx; readonly send: SendOutgoing }

/** The step that asks a server of someone else for its tools. Nothing that it says is kept but their number and the digest. */
export function createCounterpartSteps({ db, send }: CounterpartDeps): CounterpartSteps {
  return {
    listCounterpartTools: (testRunId) =>
      playOnce(db, { testRunId, step: COUNTERPART_STEP }, (run, planned) =>
        whileAlive(() => askCounterpart(send, run, planned)),
      ),
  }
}

type Played = Omit<PlayedStep, 'request_sha256' | 'response_sha256'>
type Asked = { testRunId: string; step: string }

/** The stored outcome of a step, or the one that is played now. */
async function playOnce(
  db: Tx,
  { testRunId, step }: Asked,
  make: (run: HarnessRunRow, planned: PlannedStep) => Promise<Played>,
): Promise<StepSnapshot | null> {
  const run = await findHarnessRun(db, testRunId)
  if (run === undefined) return null
  const known = await findHarnessStep(db, testRunId, step)
  if (known !== undefined) return snapshotOf(known)
  const planned = plannedStep(run, step)
  const played = await make(run, planned)
  const outcome = { ...played, ...exchangeDigests(played.exchanges) }
  return snapshotOf(await keepHarnessStep(db, testRunId, outcome))
}

function plannedStep({ suite, steps }: HarnessRunRow, step: string): PlannedStep {
  const planned = suites[suite].find((one) => one.step === step)
  if (planned === undefined || !steps.includes(step))
    throw new Error(`the test has no step ${step}`)
  return planned
}

type Playing = { run: HarnessRunRow; planned: PlannedStep; signal: AbortSignal }

async function play(
  { origins, ...deps }: HarnessDeps,
  { run, planned, signal }: Playing,
): Promise<Played> {
  const { step, expected } = planned
  const surface = openSurface(origins, signal)
  const script = scripts[run.suite][step]
  if (script === undefined) throw new Error(`the step ${step} has no script`)
  const began = performance.now()
  const outcome = await outcomeOf(script({ ...deps, run, surface }))
  const { exchanges } = surface
  const last = exchanges.at(-1)?.response.status ?? null
  const ms = Math.round(performance.now() - began)
  return { step, expected, status: last, ms, exchanges, ...outcome }
}

type Outcome = Pick<Played, 'ok' | 'detail'> & { status?: number }

async function outcomeOf(playing: ReturnType<Script>): Promise<Outcome> {
  try {
    const status = await playing
    return { ok: true, detail: 'as expected', ...(typeof status === 'number' ? { status } : {}) }
  } catch (error) {
    if (error instanceof Unmet) return { ok: false, detail: error.message }
    throw error
  }
}

async function askCounterpart(
  send: SendOutgoing,
  { counterpart_mcp_url: url }: HarnessRunRow,
  { step, expected }: PlannedStep,
): Promise<Played> {
  if (url === null) throw new Error('the test names no counterpart')
  const began = performance.now()
  const read = await readDocument(send, { url, protocols: ['mcp'] })
  const tools = 'value' in read ? toolsIn(read.value) : undefined
  const { origin, pathname } = new URL(url)
  // A query may hold a secret of the caller.
  const request = { method: 'POST', url: origin + pathname, message: 'tools/list' }
  // Why nothing was read is not for callers, who could find out addresses by it.
  const response =
    'value' in read && tools !== undefined
      ? { status: 200, tools, sha256: read.sha256, bytes: read.bytes }
      : { status: null }
  return {
    step,
    expected,
    ok: tools !== undefined,
    detail: tools === undefined ? 'no list of tools could be read there' : `${tools} tools`,
    status: response.status,
    ms: Math.round(performance.now() - began),
    exchanges: [{ request, response }],
  }
}

/** How many tools an answer lists; undefined for any other answer. */
function toolsIn(value: unknown): number | undefined {
  const { result } = (value ?? {}) as { result?: { tools?: unknown } | null }
  const tools = result?.tools
  return Array.isArray(tools) ? tools.length : undefined
}

const snapshotOf = ({ step, ok, status }: PlayedStep): StepSnapshot => ({ step, ok, status })
