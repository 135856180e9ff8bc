import {
  type AuthorityFacts,
  type Flaw,
  type GrantFacts,
  grantStateAt,
  type MandateFacts,
  remainingOf,
} from './facts.ts'

type Mandate = Extract<MandateFacts, { terms: unknown }>
type Grant = Extract<GrantFacts, { terms: unknown }>

const deny = (detail: string): Verdict => ({ effect: 'deny', detail })

/** Forbids where the condition holds. */
const denyIf = (holds: boolean, detail: string): Verdict | undefined =>
  holds ? deny(detail) : undefined

const flaws: Readonly<Record<Flaw, string>> = {
  schema: 'does not fit its schema',
  signature: 'has no valid signature of this authority',
  unknown: 'was not issued here',
}

const ofMandate =
  (judge: (mandate: Mandate, facts: AuthorityFacts) => Verdict | undefined): Rule['judge'] =>
  (facts) =>
    'flaw' in facts.mandate ? undefined : judge(facts.mandate, facts)

const ofGrant =
  (judge: (grant: Grant, facts: AuthorityFacts) => Verdict | undefined): Rule['judge'] =>
  (facts) =>
    facts.grant === undefined || 'flaw' in facts.grant ? undefined : judge(facts.grant, facts)

const flawed = (
  name: string,
  subject: MandateFacts | GrantFacts | undefined,
): Verdict | undefined =>
  subject !== undefined && 'flaw' in subject
    ? deny(`the ${name} ${flaws[subject.flaw]}`)
    : undefined

const mandateRules: readonly Rule[] = [
  { id: 'mandate_genuine', judge: ({ mandate }) => flawed('mandate', mandate) },
  {
    id: 'mandate_revoked',
    judge: ofMandate(({ revoked }) => denyIf(revoked, 'the mandate is revoked')),
  },
  {
    id: 'mandate_time',
    judge: ofMandate(({ terms: { valid_from, expires_at } }, { nowMs }) =>
      denyIf(
        nowMs < Date.parse(valid_from) || nowMs >= Date.parse(expires_at),
        `the mandate is valid from ${valid_from} until ${expires_at}`,
      ),
    ),
  },
  {
    id: 'mandate_agent',
    judge: ofMandate(({ terms }, { agentId }) =>
      denyIf(terms.agent_id !== agentId, 'the mandate is for another agent'),
    ),
  },
  {
    id: 'operation_allowed',
    judge: ofMandate(({ terms }, { action: { operationId } }) =>
      terms.allowed_operations.includes(operationId)
        ? { effect: 'allow', detail: `the mandate permits ${operationId}` }
        : undefined,
    ),
  },
  {
    id: 'rail_allowed',
    judge: ofMandate(({ terms }, { action: { rails } }) => {
      const other = rails.find((rail) => !terms.rails.some((allowed) => allowed === rail))
      return denyIf(other !== undefined, `the mandate does not name the rail ${other}`)
    }),
  },
  {
    id: 'resource_allowed',
    judge: ofMandate(({ terms }, { action: { resources } }) => {
      const other = resources.find((resource) => !terms.resources.includes(resource))
      return denyIf(
        terms.resources.length > 0 && other !== undefined,
        `the mandate does not name ${other}`,
      )
    }),
  },
]

const spendingRules: readonly Rule[] = [
  {
    id: 'operation_delegable',
    judge: ({ action }) =>
      denyIf(!action.delegable, `${action.operationId} is no operation that can be delegated`),
  },
  {
    id: 'price_known',
    judge: ({ action }) =>
      denyIf(action.priceUsd === undefined, 'the operation computes no price for this input'),
  },
  {
    id: 'spend_limit',
    judge: ({ action: { priceUsd = 0, spendUsd } }) =>
      denyIf(
        spendUsd !== undefined && priceUsd > spendUsd,
        `the price of ${priceUsd} usd is over spend_usd`,
      ),
  },
  {
    id: 'per_action_limit',
    judge: ofMandate(({ terms }, { action: { priceUsd = 0 } }) =>
      denyIf(
        priceUsd > terms.limits.per_action_usd,
        `the price of ${priceUsd} usd is over ${terms.limits.per_action_usd} usd for one action`,
      ),
    ),
  },
  {
    id: 'budget',
    judge: ofMandate((mandate, { action: { priceUsd = 0 } }) => {
      const { usd } = remainingOf(mandate)
      return denyIf(priceUsd > usd, `the price of ${priceUsd} usd is over the ${usd} usd left`)
    }),
  },
  {
    id: 'action_count',
    judge: ofMandate((mandate) =>
      denyIf(remainingOf(mandate).actions < 1, 'the mandate permits no further action'),
    ),
  },
]

const grantRules: readonly Rule[] = [
  { id: 'grant_genuine', judge: ({ grant }) => flawed('grant', grant) },
  {
    id: 'grant_unused',
    judge: ofGrant((grant, { nowMs }) => {
      const state = grantStateAt(grant, nowMs)
      return denyIf(state !== 'issued', `the grant is ${state}`)
    }),
  },
  {
    id: 'grant_mandate',
    judge: ofGrant(({ terms }, { mandate }) =>
      denyIf(
        'flaw' in mandate || terms.mandate_id !== mandate.mandateId,
        'the grant belongs to another mandate',
      ),
    ),
  },
  {
    id: 'grant_agent',
    judge: ofGrant(({ terms }, { agentId }) =>
      denyIf(terms.agent_id !== agentId, 'the grant is for another agent'),
    ),
  },
  {
    id: 'grant_operation',
    judge: ofGrant(({ terms }, { action }) =>
      denyIf(terms.operation_id !== action.operationId, 'the grant is for another operation'),
    ),
  },
  {
    id: 'grant_input',
    judge: ofGrant(({ terms }, { action }) =>
      denyIf(terms.input_sha256 !== action.inputSha256, 'the grant is for another input'),
    ),
  },
  {
    id: 'grant_spend_limit',
    judge: ofGrant(({ terms }, { action: { priceUsd = 0 } }) =>
      denyIf(
        priceUsd > terms.spend_usd_max,
        `the price of ${priceUsd} usd is over the grant’s ${terms.spend_usd_max} usd`,
      ),
    ),
  },
]

/** Every rule of the authority. Only `operation_allowed` permits; each other rule can forbid. */
export const authorityRules: readonly Rule[] = [...mandateRules, ...spendingRules, ...grantRules]

/** What one rule says of an action: it permits, forbids, or does not apply. */
type Verdict = { readonly effect: 'allow' | 'deny'; readonly detail: string }
export type Rule = {
  readonly id: string
  readonly judge: (facts: AuthorityFacts) => Verdict | undefined
}
