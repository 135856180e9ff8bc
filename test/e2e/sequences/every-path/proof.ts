import { freshKey } from '../../../support/agent-use.ts'
import { freeProof, freshPackage } from '../../../support/commerce.ts'
import { agent, elsewhere, type Kept, memberOf, open, type Rows, receipt } from './row.ts'
import type { World } from './world.ts'

const proofKept: Kept = { in: 'commerce-proof-read', as: agent, id: 'proof_id' }
const item = (text: string) => ({ name: 'access-policy.md', section: 'access_policy', text })
const packet = (text: string) => ({
  packet: {
    title: 'Access control evidence',
    required_sections: ['access_policy'],
    items: [item(text)],
  },
  questions: ['How often are access rights reviewed?'],
  force_fallback: true,
})
const quarterly = () => packet(`Access rights are reviewed every quarter by ${freshKey()}.`)
const nothing = () => packet(`The coffee of ${freshKey()} is hot.`)
const evidence = (text: string) => ({ evidence: [item(text)] })
const shown = () => evidence(`Access rights are reviewed every quarter by ${freshKey()}.`)
/** The same text twice. */
const repeated = () => {
  const text = `Access rights are reviewed every quarter by ${freshKey()}.`
  return { evidence: [item(text), { ...item(text), name: 'copy.md' }] }
}

/** A proof of the agent, which may be published. */
const proven = async ({ client }: World['agent']) =>
  (await client.call('commerce-proof-evaluate', freeProof())).body.proof_id
const publication = (publication_consent: boolean) => async (by: World['agent']) => ({
  proof_id: await proven(by),
  publication_consent,
  idempotency_key: freshKey(),
})
/** An agent that publishes its work. */
async function shownAgent({ client, registered }: World['agent']) {
  const words = { name: 'Ledger reader', description: 'Reads ledgers.', capabilities: ['reads'] }
  const rails: ['packetops'] = ['packetops']
  await client.call('agent-registry-profile', { ...words, rails, publish_profile: true })
  return { agent_id: registered.agent.agent_id }
}
async function passport({ open: by, newAgent }: World): Promise<string> {
  const { body } = await by.call('agent-passport-read', await shownAgent(await newAgent()))
  return String(memberOf(body, 'jws'))
}

/** What is proven, analysed and shown, by the rules and without money. */
export const proofRows: Rows = {
  'commerce-proof-read': {
    as: agent,
    ask: async (world) => ({ proof_id: await proven(world.agent) }),
    other: {},
  },
  'commerce-proof-evaluate': {
    as: agent,
    ask: () => freeProof(),
    other: () => freeProof({ return_package: { ...freshPackage(), claims: [unproven] } }),
    kept: proofKept,
  },
  'activity-feed-read': {
    as: open,
    ask: {},
    change: async (world) =>
      world.agent.client.call('activity-feed-publish', await publication(true)(world.agent)),
  },
  'activity-feed-publish': {
    as: agent,
    ask: (world) => publication(false)(world.agent),
    other: (world) => publication(true)(world.agent),
    kept: receipt,
  },
  'model-analysis-read': { as: open, thenAs: elsewhere, ask: {} },
  'model-analysis-run': { as: agent, ask: quarterly, other: nothing, kept: receipt },
  'model-relay-read': { as: open, thenAs: elsewhere, ask: {} },
  'model-relay-run': {
    as: agent,
    ask: () => ({ context: quarterly() }),
    other: () => ({ context: nothing() }),
    kept: proofKept,
  },
  'free-proof-read': { as: open, thenAs: elsewhere, ask: {} },
  'free-proof-run': { as: agent, ask: shown, other: repeated, kept: proofKept },
  'investor-demo-read': { as: open, thenAs: elsewhere, ask: {} },
  'investor-demo-run': { as: agent, ask: shown, other: repeated, kept: proofKept },
  'investor-demo-detail-read': { as: open, thenAs: elsewhere, ask: {} },
  'investor-demo-detail-run': { as: agent, ask: shown, other: repeated, kept: proofKept },
  'agent-passport-read': {
    as: open,
    ask: async ({ newAgent }) => shownAgent(await newAgent()),
    other: async ({ newAgent, operator: by }) => {
      const known = await newAgent()
      const shown = await shownAgent(known)
      const { credentialId: credential_id } = known
      const asked = { credential_id, reason: 'lost', idempotency_key: freshKey() }
      await by.call('access-key-revoke', asked)
      return shown
    },
  },
  'agent-passport-verify': {
    as: open,
    ask: async (world) => ({ passport: await passport(world) }),
    other: async (world) => ({ passport: `${(await passport(world)).slice(0, -4)}AAAA` }),
  },
  'receipt-completion-read': { as: open, thenAs: elsewhere, ask: {} },
  'receipt-completion-run': {
    as: agent,
    ask: async ({ quote, present }) => {
      const { quote_id, total_usd } = await quote()
      return movement((await present(quote_id)).payment_reference_id, total_usd)
    },
    other: async ({ paid }) => {
      const { payment_reference_id, total_usd } = await paid()
      return movement(payment_reference_id, total_usd)
    },
    kept: receipt,
  },
  'compliance-samples-read': {
    as: open,
    ask: { sample: 'soc2_evidence_packet' },
    other: { sample: 'vendor_security_questionnaire' },
  },
  'sample-return-packages': { as: open, ask: { rail: 'packetops' }, other: { rail: 'tokenops' } },
}
const unproven = { claim: 'comes to 1 USD', artifact: 'report.md' }
const movement = (payment_reference: string, movement_amount_units: number) => ({
  payment_reference,
  movement_amount_units,
})
