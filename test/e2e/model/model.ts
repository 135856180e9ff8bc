/** Two wallets, two payouts each; amounts in dollars, lives in seconds. */
export const wallets = ['ann', 'bob'] as const
export const slots = ['1', '2'] as const
export const amounts = ['0.01', '0.02'] as const
export const lives = [3600, 7200] as const
export type Wallet = (typeof wallets)[number]
/** A payout by its creator and the key that it is created with. */
export type Name = { owner: Wallet; slot: (typeof slots)[number] }

/** One call of the payout API; `caller` may be another than the payout's creator. */
export type Act =
  | { kind: 'create'; caller: Wallet; of: Name; amount: (typeof amounts)[number] }
  | { kind: 'authorize'; caller: Wallet; of: Name; key: 'x' | 'y'; life: (typeof lives)[number] }
  | { kind: 'execute' | 'status'; caller: Wallet; of: Name }

/** The final answer to a caller: a state with a success, a code with a refusal. */
export type Outcome = { status: number; state?: State; code?: string }
type State = 'created' | 'authorized' | 'executed'

/** The payout API as its documents describe it, without time, money, chains or machines. */
export type Model = {
  payouts: Readonly<Record<string, { amount: string; state: State }>>
  /** The calls that had their effect: each was charged once, and its answer stands for every repeat. */
  calls: Readonly<Record<string, { fingerprint: string; outcome: Outcome }>>
}

export const emptyModel: Model = { payouts: {}, calls: {} }
export const nameOf = ({ owner, slot }: Name) => `${owner}/${slot}`

/** What this act answers and leaves behind when nothing else happens at the same time. */
function step(model: Model, act: Act): { model: Model; outcome: Outcome } {
  const key = callKey(act)
  const earlier = model.calls[key]
  if (act.kind !== 'status' && earlier !== undefined) {
    return { model, outcome: earlier.fingerprint === fingerprint(act) ? earlier.outcome : conflict }
  }
  const { state, outcome } = effect(model, act)
  if (state === undefined) return { model, outcome }
  const name = nameOf(act.of)
  const amount = act.kind === 'create' ? act.amount : (model.payouts[name]?.amount ?? '')
  return {
    outcome,
    model: {
      payouts: { ...model.payouts, [name]: { amount, state } },
      calls: { ...model.calls, [key]: { fingerprint: fingerprint(act), outcome } },
    },
  }
}

/** The new state, where the act has an effect, and the answer. */
function effect({ payouts }: Model, act: Act): { state?: State; outcome: Outcome } {
  const known = act.caller === act.of.owner ? payouts[nameOf(act.of)] : undefined
  if (act.kind === 'create') return { state: 'created', outcome: { status: 201, state: 'created' } }
  if (known === undefined) return { outcome: { status: 404, code: 'not_found' } }
  if (act.kind === 'status') return { outcome: { status: 200, state: known.state } }
  const [from, to] =
    act.kind === 'authorize'
      ? (['created', 'authorized'] as const)
      : (['authorized', 'executed'] as const)
  return known.state === from
    ? { state: to, outcome: { status: 200, state: to } }
    : { outcome: wrongState }
}

const conflict: Outcome = { status: 422, code: 'idempotency_conflict' }
const wrongState: Outcome = { status: 409, code: 'wrong_state' }

/** Create and authorize have a key of their caller's; an execute is known by its payout. */
function callKey(act: Act): string {
  return `${act.caller} ${act.kind} ${idempotencyKey(act)}`
}

function idempotencyKey(act: Act) {
  if (act.kind === 'authorize') return act.key
  if (act.kind === 'create') return act.of.slot
  return nameOf(act.of)
}

/** What a repeat has to say again. */
export function fingerprint(act: Act): string {
  if (act.kind === 'create') return act.amount
  return act.kind === 'authorize' ? `${nameOf(act.of)} for ${act.life} s` : nameOf(act.of)
}

type Ran = { act: Act; outcome: Outcome }

/**
 * Whether the answers of acts that ran at the same time are those of some order of them; the model after that order. A key is
 * its call's while that call is under way, so another by the same key may get that answer even if the first has no effect.
 */
export function explain(model: Model, ran: readonly Ran[]): Model | undefined {
  const free = ran.filter((one) => !ran.some((other) => heldItsKey(other, one)))
  return explainInOrder(model, ran) ?? explainInOrder(model, free)
}

const heldItsKey = (other: Ran, { act, outcome }: Ran) =>
  same(outcome, conflict) &&
  !same(other.outcome, conflict) &&
  callKey(other.act) === callKey(act) &&
  fingerprint(other.act) !== fingerprint(act)

function explainInOrder(model: Model, ran: readonly Ran[]): Model | undefined {
  if (ran.length === 0) return model
  for (const one of ran) {
    const next = step(model, one.act)
    if (!same(next.outcome, one.outcome)) continue
    const rest = explainInOrder(
      next.model,
      ran.filter((other) => other !== one),
    )
    if (rest !== undefined) return rest
  }
  return undefined
}

const same = (one: Outcome, other: Outcome) =>
  one.status === other.status && one.state === other.state && one.code === other.code

export function describe(act: Act): string {
  const name = nameOf(act.of)
  if (act.kind === 'create') return `${act.caller} creates ${name} of ${act.amount}`
  if (act.kind === 'authorize')
    return `${act.caller} authorizes ${name} by key ${act.key} for ${act.life} s`
  return `${act.caller} ${act.kind === 'execute' ? 'executes' : 'reads'} ${name}`
}
