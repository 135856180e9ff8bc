import type { AuthorityFacts } from '#domain/authority/facts.ts'
import { resourcesOf } from '#domain/authority/resources.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { findEntitlementOf, payerOf } from '../../activities/store/credit/entitlements.ts'
import { railsOf } from '../auth/rails.ts'
import type { Context } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import type { ActionAsked } from '../shapes/delegations.ts'
import { readDelegated, screenUnread } from './calls.ts'
import type { DelegationDeps } from './deps.ts'

/** An action whose input its operation has read; `refusal` says why the operation computes no price for it. */
export type PreparedAction = {
  readonly facts: AuthorityFacts['action']
  /** Undefined for an operation that cannot be delegated. */
  readonly operation: AnyOperation | undefined
  readonly input: unknown
  readonly refusal: DomainError | undefined
}

/** Reads the input with the schema of the operation and computes its price; 400 `invalid_request`, 422 `forbidden_material`. */
export async function prepareAction(
  deps: DelegationDeps,
  action: ActionAsked,
  agentId: string,
  context: Context,
): Promise<PreparedAction> {
  const { operation_id, spend_usd } = action
  const named = {
    operationId: operation_id,
    inputSha256: digestOf({ operation_id, input: action.input }),
    spendUsd: spend_usd,
  }
  const operation = deps.registry.find(({ id, delegable }) => id === operation_id && delegable)
  if (operation === undefined) {
    screenUnread(action.input)
    const facts = { ...named, delegable: false, rails: [], resources: [], priceUsd: undefined }
    return { facts, operation, input: action.input, refusal: undefined }
  }
  const input = readDelegated(operation, action.input)
  const { priceUsd, refusal } = await priceOf(operation, input, context)
  const rails = await railsOf(operation, input, (given) => deps.agents.railsNamed(agentId, given))
  const others = (await operation.delegatedRails?.(input, { agentId, context })) ?? []
  const facts = {
    ...named,
    delegable: true,
    rails: [...rails, ...others],
    resources: await payersOf(deps, Object(input), priceUsd ?? 0),
    priceUsd,
  }
  return { facts, operation, input, refusal }
}

/** What the input pays with: what it names, and the funded credit of its quote, as the wallet that paid for it where one did. */
async function payersOf(
  { db }: Pick<DelegationDeps, 'db'>,
  input: Readonly<Record<string, unknown>>,
  priceUsd: number,
): Promise<string[]> {
  const named = resourcesOf(input)
  const { quote_id } = input
  if (typeof quote_id !== 'string' || priceUsd === 0) return named
  const credit = await findEntitlementOf(db, quote_id)
  if (credit === undefined || credit.state === 'pending') return named
  return [...named, payerOf(credit)]
}

async function priceOf(
  { id, spendsUsd }: AnyOperation,
  input: unknown,
  context: Context,
): Promise<{ priceUsd: number | undefined; refusal: DomainError | undefined }> {
  if (spendsUsd === undefined) throw new Error(`${id} is delegable and declares no price`)
  try {
    return { priceUsd: await spendsUsd(input, context), refusal: undefined }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { priceUsd: undefined, refusal: error }
  }
}
