import type { Kysely } from 'kysely'
import { checkCredential, type Denial, type Scope } from '#domain/agents/credential.ts'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { type Refusal, refuse } from '#domain/core/errors.ts'
import {
  type GateCheck,
  type GatedWrite,
  gateChecks,
  gateRules,
  judgeWrite,
  passes,
  refusalCode,
} from '#domain/production/write-gate.ts'
import { rails } from '#domain/rails/index.ts'
import { isCurrent, type Rail, type RailKey, railKeys } from '#domain/rails/rail.ts'
import { type CallbackHosts, checkCallbackUrl } from '../../../activities/callbacks/hosts.ts'
import { leadsOutside, type OutgoingSettings } from '../../../activities/http/outgoing.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  type CredentialOfAgent,
  holdCredential,
} from '../../../activities/store/agents/agent-credentials.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { listPauses } from '../../../activities/store/operators/controls.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  countProductionWrites,
  findAuditedWrite,
  findUseOfKey,
  insertProductionWrite,
} from '../../../activities/store/production/production-writes.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { factsOf } from '../../auth/credential-standing.ts'
import type { ToolName } from '../../tool-names.ts'

/** The agent behind a write, its access key, and the MCP tool by which it called. */
export type Writer = { agentId: string; credentialId: string; tool: string | null }

/** A write as its operation makes it; `subject` is what it writes. */
export type ProductionWrite = {
  operationId: string
  writer: Writer
  rail: RailKey
  callbackUrl: string | null
  callId: string
  subject: string
  /** The account that it starts a run for. */
  customerAccount?: string | null
}

/** A write as a caller asks about it. */
export type AskedWrite = {
  operation_id: string
  rail: RailKey
  callback_url: string
  payload_sha256?: string | undefined
  idempotency_key: string
}

/** What the gate reads of an operation. */
export type OperationFacts = {
  readonly id: string
  readonly http: { readonly method: string; readonly path: string }
  readonly tool?: ToolName
  readonly needs?: { readonly scopes: readonly Scope[] }
  readonly gate?: GatedWrite
}
/** The access key that a question presents, or why it is none. */
type Presented = { readonly credential: CredentialOfAgent } | { readonly refusal: Refusal }

type Deps = ReceiptIssuer & {
  readonly db: Kysely<Database>
  readonly registry: readonly OperationFacts[]
  readonly callbackHosts: CallbackHosts
  /** The addresses of a DNS name. */
  readonly resolve?: OutgoingSettings['resolve']
}
type Gated = OperationFacts & Required<Pick<OperationFacts, 'gate' | 'needs'>>
type Callback = { ok: boolean; detail: string }

/** The production write gate: every gated operation passes it in the transaction of its write, and anyone asks it beforehand. */
export class WriteGate {
  private readonly deps: Deps
  readonly #gated: Gated[]

  constructor(deps: Deps) {
    this.deps = deps
    this.#gated = deps.registry.filter(isGated)
  }

  /** The checks, the operations behind the gate, and what passed it so far. */
  async describe() {
    const { db } = this.deps
    const counts = await countProductionWrites(
      db,
      this.#gated.map(({ id }) => id),
    )
    const pause = (await listPauses(db)).find(({ scope }) => scope === 'service')
    const taken = new Set(this.#gated.flatMap(({ gate }) => railsOf(gate)))
    return {
      checks: gateChecks.map((check) => ({ check, rule: gateRules[check] })),
      allowed_rails: railKeys.filter((rail) => taken.has(rail)),
      operations_behind_gate: this.#gated.map(({ id, http, tool, needs, gate }) => ({
        operation_id: id,
        method: http.method,
        path: http.path,
        tool: tool ?? null,
        scopes: [...needs.scopes],
        rails: railsOf(gate),
        callback: gate.callback,
        ...(counts.get(id) ?? { written: 0, validated: 0, refused: 0 }),
      })),
      paused: pause === undefined ? null : pause.reason,
    }
  }

  /** The event of a write or a validation of this agent, or of one without an agent; 404 for those of others. */
  async event(agentId: string | undefined, auditEventId: string) {
    const found = await findAuditedWrite(this.deps.db, auditEventId)
    if (found === undefined || (found.agent_id !== null && found.agent_id !== agentId))
      throw refuse('not_found', {
        detail: 'no such audit event',
        next_action: 'Read an event of a write with the access key of its agent.',
      })
    const { audit_event_id, kind, operation_id, rail, subject, passed, code, at } = found
    const checks = found.checks.map(({ check, ok, detail }) => ({ check, ok, detail }))
    const about = { audit_event_id, kind, operation_id, rail, subject }
    return { ...about, passed, code, checks, at: at.toISOString() }
  }

  /**
   * Judges a write that is not made, and records that with a signed receipt. Throws 404 for an operation that is not behind the gate.
   */
  async validate(presented: Presented | undefined, asked: AskedWrite, callId: string) {
    const gated = this.#find(asked.operation_id)
    const { rail, callback_url } = asked
    const known =
      presented !== undefined && 'credential' in presented ? presented.credential : undefined
    const callback = await this.#callback(gated.gate, callback_url, known?.sandbox ?? false)
    const auditEventId = `aud_${digestOf({ gate: callId })}`
    const { db } = this.deps
    return answerOnce({ db }, { callId, subject: auditEventId, status: 200 }, async (tx) => {
      const held = known === undefined ? undefined : await holdCredential(tx, known.credential_id)
      const denials = held === undefined ? notPresented(presented) : denialsOf(gated, held, rail)
      const key = held === undefined ? 'unused' : await keyOf(tx, held.agent_id, asked)
      const facts = {
        denials,
        rails: railsOf(gated.gate),
        rail,
        key,
        callback,
        auditEventId,
      } as const
      const checks = judgeWrite(facts)
      return this.#record(tx, { asked, held, checks, auditEventId })
    })
  }

  /**
   * Admits a write in its own transaction, where a revocation or a narrowing of the agent that was committed before refuses it, and
   * stores its audit event. Called late, because it holds key and agent until the transaction ends. Throws the refusal of the first
   * check that fails, with all checks in `gate`.
   */
  async admit(
    tx: Tx,
    { writer, rail, callbackUrl, callId, ...write }: ProductionWrite,
    resolved?: Callback,
  ): Promise<{ checks: GateCheck[]; auditEventId: string }> {
    const { operationId, subject, customerAccount = null } = write
    const gated = this.#find(operationId)
    const auditEventId = writeEventId(callId)
    const held = await holdCredential(tx, writer.credentialId)
    const denials = held === undefined ? notPresented(undefined) : denialsOf(gated, held, rail)
    const callback = resolved ?? this.#byForm(gated.gate, callbackUrl, held?.sandbox ?? false)
    // A used key was refused before this transaction.
    const facts = { denials, rails: railsOf(gated.gate), rail, key: 'unused', callback } as const
    const checks = judgeWrite({ ...facts, auditEventId })
    assertPassed(checks, denials)
    await insertProductionWrite(tx, {
      audit_event_id: auditEventId,
      kind: 'written',
      operation_id: operationId,
      rail,
      agent_id: writer.agentId,
      credential_id: writer.credentialId,
      tool: writer.tool,
      subject,
      payload_sha256: null,
      callback_sha256: callbackUrl === null ? null : sha256Hex(callbackUrl),
      checks,
      passed: true,
      receipt_id: null,
      customer_account: customerAccount,
    })
    return { checks, auditEventId }
  }

  /** Whether callbacks of a write may go to a URL whose name is resolved now; never in a transaction. */
  resolveCallback(operationId: string, url: string): Promise<Callback> {
    return this.#callback(this.#find(operationId).gate, url, false)
  }

  #find(operationId: string): Gated {
    const gated = this.#gated.find(({ id }) => id === operationId)
    if (gated !== undefined) return gated
    throw refuse('not_found', {
      detail: 'no such operation is behind the gate',
      next_action: 'Take the id from GET /api/production-write-gate.',
    })
  }

  #byForm({ callback }: GatedWrite, url: string | null, demoOnly: boolean): Callback {
    if (url !== null) return checkCallbackUrl(this.deps.callbackHosts, url, demoOnly)
    return callback === 'required'
      ? { ok: false, detail: 'a callback URL is required' }
      : { ok: true, detail: 'no callback is requested' }
  }

  async #callback(gate: GatedWrite, url: string, demoOnly: boolean): Promise<Callback> {
    const byForm = this.#byForm(gate, url, demoOnly)
    if (!byForm.ok) return byForm
    const { callbackHosts, resolve } = this.deps
    const outside = await leadsOutside({ ...callbackHosts, ...(resolve && { resolve }) }, url)
    // The address itself is not disclosed to the caller.
    return outside ? byForm : { ok: false, detail: 'its host has no public address' }
  }

  async #record(tx: Tx, { asked, held, checks, auditEventId }: Validation) {
    const { operation_id, rail, callback_url, payload_sha256 = null } = asked
    const passed = passes(checks)
    const about = {
      operation_id,
      rail,
      agent_id: held?.agent_id ?? null,
      credential_id: held?.credential_id ?? null,
      payload_sha256,
      callback_sha256: sha256Hex(callback_url),
    }
    const judged = checks.map(({ check, ok }) => ({ check, ok }))
    const facts = { ...about, passed, checks: judged, executed: false, money_movement: false }
    const content = { subject: auditEventId, kind: 'write_gate', usage: 'unspecified', facts }
    const receipt = receiptView(await issueReceipt(this.deps, tx, content))
    await insertProductionWrite(tx, {
      ...about,
      audit_event_id: auditEventId,
      kind: 'validated',
      tool: null,
      subject: auditEventId,
      checks,
      passed,
      receipt_id: receipt.receipt_id,
    })
    return {
      pass: passed,
      checks,
      audit_event_id: auditEventId,
      executed: false as const,
      money_movement: false as const,
      receipt,
    }
  }
}

type Validation = {
  asked: AskedWrite
  held: CredentialOfAgent | undefined
  checks: GateCheck[]
  auditEventId: string
}

/** The id of the audit event of a call that writes. */
const writeEventId = (callId: string): string => `aud_${digestOf({ write: callId })}`

/** The rails that an operation behind the gate takes. */
const railsOf = ({ rails: named }: GatedWrite): RailKey[] =>
  typeof named === 'string' ? rails.filter(taken[named]).map(({ key }) => key) : [...named]

type Named = Extract<GatedWrite['rails'], string>
const taken: Readonly<Record<Named, (rail: Rail) => boolean>> = {
  paid_agent_use: ({ takes }) => takes.paidAgentUse,
  priced: ({ prices }) => Object.values(prices ?? {}).some((usd) => usd > 0),
  controlled_loop: isCurrent,
}

const isGated = (operation: OperationFacts): operation is Gated =>
  operation.gate !== undefined && operation.needs !== undefined

function denialsOf({ needs }: Gated, held: CredentialOfAgent, rail: RailKey): Denial[] {
  const denials = checkCredential(factsOf(held), { scopes: needs.scopes, rail }, held.readAt)
  if (held.trust_state !== 'sandbox_trusted') return denials
  return [...denials, { code: 'trust_required', detail: 'a sandbox agent has no production' }]
}

const notPresented = (presented: Presented | undefined): Denial[] =>
  presented !== undefined && 'refusal' in presented
    ? [{ code: presented.refusal.code, detail: presented.refusal.detail }]
    : [{ code: 'credential_required', detail: 'no access key was presented' }]

async function keyOf(tx: Tx, agentId: string, asked: AskedWrite) {
  const { operation_id: operation, idempotency_key: key, payload_sha256 } = asked
  const used = await findUseOfKey(tx, { caller: `agent:${agentId}`, operation, key })
  if (used === undefined) return 'unused'
  const isSame = payload_sha256 === undefined || payload_sha256 === used.payload_sha256
  return isSame ? 'repeated' : 'other_payload'
}

function assertPassed(checks: readonly GateCheck[], denials: readonly Denial[]): void {
  const code = refusalCode(checks, denials)
  if (code === undefined) return
  const failed = checks.filter(({ ok }) => !ok)
  throw refuse(code, {
    detail: `the production write gate refuses: ${failed.map(({ detail }) => detail).join('; ')}`,
    next_action:
      'Correct what fails in gate; POST /api/production-write-gate checks it beforehand.',
    money_moved: 'no',
    extra: { gate: checks },
  })
}
