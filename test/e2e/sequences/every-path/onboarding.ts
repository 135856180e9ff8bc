import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { openAuthority, usage } from '../../../support/authority.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { elsewhere, type Kept, memberOf, open, type Rows, receipt } from './row.ts'
import type { World } from './world.ts'

const statusKept: Kept = {
  in: 'agent-status',
  as: ({ holder }, answer) => holder(String(memberOf(answer, 'status_token'))),
  id: 'agent_id',
  by: () => ({}),
}
const authorities = new WeakMap<World, ReturnType<typeof openAuthority>>()
/** An agent under mandates, and the operator who issues them. */
export function authorityOf(world: World): ReturnType<typeof openAuthority> {
  const opened = authorities.get(world) ?? openAuthority([world.hosts], world.apis.operator)
  authorities.set(world, opened)
  return opened
}
const draft = async (world: World, more: { purpose: string; resources?: string[] }) => {
  const action = (await authorityOf(world)).terms(more)
  return { mode: 'draft_mandate' as const, action }
}
const issue = async (world: World, total_usd: number) =>
  (await authorityOf(world)).issue({ limits: { per_action_usd: 100, total_usd, actions_max: 5 } })
/** The mandate of a draft, which says all of its terms. */
const issueDraft = async (world: World, resources: string[]) => {
  const asked = await draft(world, { purpose: `Record ${freshKey()}.`, resources })
  const { draft_id } = (await world.open.call('draft-mandate', asked)).body
  const action = { draft_id, idempotency_key: freshKey() }
  return (await world.operator.call('issue-mandate', { mode: 'issue_mandate', action })).body
}
const judged = async (world: World, operation_id: string) => {
  const authority = await authorityOf(world)
  return authority.evaluate(await issue(world, 500), { ...usage(), operation_id })
}
const granted = async (world: World, isRevoked: boolean) => {
  const authority = await authorityOf(world)
  const mandate = await issue(world, 500)
  if (isRevoked) await authority.revoke(mandate)
  return authority.grant(mandate, usage())
}
const revoked = async (world: World, grants: number) => {
  const authority = await authorityOf(world)
  const mandate = await issue(world, 500)
  for (let at = 0; at < grants; at += 1) await authority.grant(mandate, usage())
  return authority.revoke(mandate)
}
/** The register of the agent that has this access, once without and once with its access key. */
async function shaken({ hosts, holder, review }: World, trusted: boolean) {
  const newcomer = newAgentClient(hosts)
  const { agent: registered, status_token } = await newcomer.register()
  if (trusted) await review('agent', registered.agent_id)
  const { body } = await newcomer.shake(status_token, trusted)
  const { agent_id } = (await holder(status_token).call('agent-status', {})).body as {
    agent_id: string
  }
  return { ...body, status_token, agent_id }
}
/** Registers a newcomer, who signs that it is a repeat where it is one. */
async function registered({ hosts, signing }: World, sandbox: boolean) {
  const { manifest, signText } = newAgentClient(hosts)
  const input = manifest({ sandbox, idempotency_key: freshKey() })
  return (await signing(signText).call('agent-register', input)).body
}

/** How an agent comes to its access key, and what mandates permit it. */
export const onboardingRows: Rows = {
  'agent-register-read': {
    as: open,
    ask: {},
    change: ({ hosts }) => newAgentClient(hosts).register(),
  },
  'agent-register': {
    calls: [(world) => registered(world, false), (world) => registered(world, true)],
    kept: statusKept,
  },
  'agent-status': {
    as: ({ agent: { registered }, holder }) => holder(registered.status_token),
    ask: { kind: 'onboarding' },
    other: { kind: 'trust_profile' },
  },
  'handshake-read': {
    as: open,
    thenAs: elsewhere,
    ask: {},
    echoes: 'It shows the configured address, and a nonce that is new in each answer.',
  },
  handshake: {
    calls: [(world) => shaken(world, false), (world) => shaken(world, true)],
    kept: { ...statusKept, id: 'gateway_state' },
  },
  'authority-contract': { as: open, thenAs: elsewhere, ask: {} },
  'read-control-plane': { as: open, thenAs: elsewhere, ask: { mode: 'read_control_plane' } },
  'draft-mandate': {
    as: open,
    ask: (world) => draft(world, { purpose: 'Record what was used.' }),
    other: (world) => draft(world, { purpose: `Record ${freshKey()}.`, resources: ['aw_1'] }),
    // A draft is read where its mandate is issued.
    kept: {
      in: 'issue-mandate',
      as: ({ operator }) => operator,
      id: 'purpose',
      by: (_purpose, answer) => ({
        mode: 'issue_mandate',
        action: { draft_id: memberOf(answer, 'draft_id'), idempotency_key: freshKey() },
      }),
    },
  },
  'issue-mandate': {
    calls: [(world) => issueDraft(world, []), (world) => issueDraft(world, ['aw_1'])],
    kept: receipt,
  },
  'inspect-mandate': {
    as: async (world) => (await authorityOf(world)).client,
    ask: async (world) => ({ mode: 'inspect_mandate', ...(await signed(world, 500)) }),
    other: async (world) => ({ mode: 'inspect_mandate', ...(await signed(world, 900)) }),
  },
  'issue-action-grant': {
    calls: [(world) => problemOf(granted(world, true)), (world) => granted(world, false)],
    kept: receipt,
  },
  'evaluate-action': {
    calls: [
      (world) => judged(world, 'usage-ledger-record'),
      (world) => judged(world, 'allowance-fund'),
    ],
    kept: receipt,
  },
  'revoke-mandate': {
    calls: [(world) => revoked(world, 0), (world) => revoked(world, 1)],
    kept: receipt,
  },
}
const signed = async (world: World, total_usd: number) => {
  const { signed_mandate } = await issue(world, total_usd)
  return { signed_mandate: { ...signed_mandate } }
}
