import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type Act,
  amounts,
  describe,
  explain,
  lives,
  type Model,
  type Name,
  nameOf,
  slots,
  type Wallet,
  wallets,
} from './model.ts'
import { type PartName, parts, type System } from './system.ts'

/** The model changes by being replaced. */
export type Held = { model: Model }
type Command = fc.AsyncCommand<Held, System>

/** Acts that run at the same time, while a process may be killed; their answers have to be those of some order of the acts. */
class Commands implements Command {
  readonly commands: readonly Act[]
  readonly crash: { part: PartName; afterMs: number } | undefined
  constructor(commands: readonly Act[], crash?: { part: PartName; afterMs: number }) {
    this.commands = commands
    this.crash = crash
  }

  check(): boolean {
    return true
  }

  async run(held: Held, system: System): Promise<void> {
    for (const act of this.commands) await system.prepare(act)
    const killed = this.crash && killLater(system, this.crash)
    const ran = await Promise.all(
      this.commands.map(async (act) => ({ act, outcome: await system.perform(act) })),
    )
    await killed
    const after = explain(held.model, ran)
    expect(
      after,
      `no order of these acts explains ${JSON.stringify(ran.map(({ outcome }) => outcome))}`,
    ).toBeDefined()
    held.model = after as Model
  }

  toString(): string {
    const commands = this.commands.map(describe).join(' ∥ ')
    return this.crash === undefined
      ? commands
      : `${commands}, ${this.crash.part} killed after ${this.crash.afterMs} ms`
  }
}

async function killLater(
  system: System,
  { part, afterMs }: { part: PartName; afterMs: number },
): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  await system.kill(part)
}

/** Mostly the same payout, and mostly one's own, so that a run gets somewhere. */
const first: Name = { owner: wallets[0], slot: slots[0] }
const names = fc.oneof(
  { weight: 2, arbitrary: fc.constant(first) },
  {
    weight: 1,
    arbitrary: fc.record({ owner: fc.constantFrom(...wallets), slot: fc.constantFrom(...slots) }),
  },
)
const callers = (of: Name): fc.Arbitrary<Wallet> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(of.owner) },
    { weight: 1, arbitrary: fc.constantFrom(...wallets) },
  )

const create = names.chain((of) =>
  fc.record({
    kind: fc.constant('create' as const),
    caller: fc.constant(of.owner),
    of: fc.constant(of),
    amount: fc.constantFrom(...amounts),
  }),
)
const authorize = names.chain((of) =>
  fc.record({
    kind: fc.constant('authorize' as const),
    caller: callers(of),
    of: fc.constant(of),
    key: fc.constantFrom('x' as const, 'y' as const),
    life: fc.constantFrom(...lives),
  }),
)
const other = names.chain((of) =>
  fc.record({
    kind: fc.constantFrom('execute' as const, 'execute' as const, 'status' as const),
    caller: callers(of),
    of: fc.constant(of),
  }),
)
/** One act, two at the same time, or one twice at the same time. */
const together = fc
  .tuple(fc.array(fc.oneof(create, authorize, other), { minLength: 1, maxLength: 2 }), fc.boolean())
  .map(([commands, twice]): Act[] =>
    twice ? [...commands.slice(0, 1), ...commands.slice(0, 1)] : commands,
  )
const crash = fc.record({
  part: fc.constantFrom(...parts),
  afterMs: fc.integer({ min: 0, max: 60 }),
})
const rarely = fc.oneof(
  { withCrossShrink: true },
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: crash },
)

export const commands = fc.commands(
  [fc.tuple(together, rarely).map(([commands, kill]) => new Commands(commands, kill))],
  {
    maxCommands: 16,
    size: 'max',
  },
)

/** What the model says is there is there: states, money once, and one charge for each call that had an effect. */
export async function expectAgreement({ model }: Held, system: System): Promise<void> {
  for (const owner of wallets) {
    for (const slot of slots) {
      const known = model.payouts[nameOf({ owner, slot })]
      const paid = known?.state === 'executed' ? BigInt(Number(known.amount) * 1_000_000) : 0n
      expect(await system.observe({ owner, slot })).toEqual({ state: known?.state, held: paid })
    }
  }
  expect(await system.charged()).toBe(Object.keys(model.calls).length)
}
