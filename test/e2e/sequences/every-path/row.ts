import { expect } from 'vitest'
import {
  type Client,
  type InputOf,
  type OperationId,
  ProblemError,
} from '../../../../api/http/client.ts'
import type { World } from './world.ts'

/** Who calls; `answer` is what the row answered, for a caller who is known by it. */
export type Caller = (world: World, answer?: unknown) => Client | Promise<Client>
type Given<Input> = Input | ((world: World) => Input | Promise<Input>)

/** Where the record of a write is read: an operation, and the member of the answer that names the record. */
export type Kept = {
  readonly in: OperationId
  readonly as: Caller
  /** The member of the answer whose value the reading has to show. */
  readonly id: string
  /** The input of the reading; by default it is the member itself. */
  readonly by?: (id: string, answer: unknown) => object
}

type Asked<Id extends OperationId> = {
  readonly as: Caller
  readonly ask: Given<InputOf<Id>>
  /** Another input; the same one where only the state or the caller changes. */
  readonly other?: Given<InputOf<Id>>
  /** Another caller for the second call. */
  readonly thenAs?: Caller
  /** What happens to the service between the two calls. */
  readonly change?: (world: World) => Promise<unknown>
}
/** Calls that a function makes, with a caller or a body of its own. */
type Made = { readonly calls: readonly [Call, Call] }
type Call = (world: World) => Promise<unknown>

/** One operation at a documented path: two calls that are to be answered differently, and the record of the second. */
export type Row<Id extends OperationId> = (Asked<Id> | Made) & { readonly kept?: Kept }
export type Rows = { readonly [Id in OperationId]?: Row<Id> }

/** A record that is a receipt of the service, which anyone verifies. */
export const receipt: Kept = { in: 'verify-receipt', as: ({ open }) => open, id: 'receipt_id' }
export const open: Caller = (world) => world.open
export const agent: Caller = (world) => world.agent.client
export const operator: Caller = (world) => world.operator
/** The same service in another configuration, with rotated keys. */
export const elsewhere: Caller = (world) => world.elsewhere()

/** Calls twice, and reads the record of the second call. */
export async function follow(world: World, id: OperationId, row: Row<OperationId>): Promise<void> {
  const [first, second] = callsOf(id, row)
  const one = contentOf(await first(world))
  if (row.kept === undefined) {
    const content = async () => contentOf(await second(world))
    await expect.poll(content, { timeout: 15_000, interval: 300 }).not.toEqual(one)
    return
  }
  const other = await second(world)
  expect(contentOf(other), 'the second answer').not.toEqual(one)
  const found = memberOf(other, row.kept.id)
  expect(found, `the member ${row.kept.id} of ${JSON.stringify(other)}`).toBeTypeOf('string')
  const caller = await row.kept.as(world, other)
  const input = row.kept.by?.(String(found), other) ?? { [row.kept.id]: found }
  const { body } = await caller.call(row.kept.in, input as never)
  expect(JSON.stringify(body)).toContain(found)
}

function callsOf(id: OperationId, row: Row<OperationId>): readonly [Call, Call] {
  if ('calls' in row) return row.calls
  const { as, ask, other = ask, thenAs = as, change } = row as Asked<never> & { ask: object }
  return [
    async (world) => {
      const answer = await send(world, id, as, ask)
      await change?.(world)
      return answer
    },
    (world) => send(world, id, thenAs, other),
  ]
}

/** The answer; one that asks for money is an answer too. */
async function send(world: World, id: OperationId, as: Caller, given: unknown): Promise<unknown> {
  const input = typeof given === 'function' ? await given(world) : given
  try {
    return (await (await as(world)).call(id, input as never)).body
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'payment_required') return error.problem
    throw error
  }
}

/** The first member of this name, the outer ones first. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, name)) return value[name as keyof typeof value]
  for (const part of Object.values(value)) {
    const found = memberOf(part, name)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

const counted =
  /^(iat|exp|sequence|leaf_index|tree_size|ms|.*_ms|from_sequence|version_number|position)$/
const fresh = [
  /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /(0x)?[0-9a-f]{12,}/g,
  /[A-Za-z0-9_-]{43,}/g,
  /\b1[789]\d{8}\b/g,
]
/** An answer without its ids, times, signatures, nonces and digests, which each call has its own of. */
export function contentOf(value: unknown): unknown {
  const signed = typeof value === 'string' ? /^eyJ[\w-]*\.([\w-]+)\.[\w-]+~?$/.exec(value) : null
  if (signed !== null)
    return contentOf(JSON.parse(Buffer.from(String(signed[1]), 'base64url').toString()))
  if (typeof value === 'string') return fresh.reduce((text, part) => text.replace(part, '…'), value)
  if (Array.isArray(value)) return value.map(contentOf)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !counted.test(name))
  return Object.fromEntries(members.map(([name, part]) => [name, contentOf(part)]))
}
