import { sql } from 'kysely'
import { accessKeyDelivery, type DeliveryStep } from '#domain/agents/onboarding.ts'
import type { Tx } from '../postgres/db.ts'
import { insertOnce } from '../postgres/rows.ts'

/** Records a step of access key delivery once. SQL refuses a step whose predecessor is missing. */
export async function recordDelivery(
  tx: Tx,
  credentialId: string,
  step: DeliveryStep,
  actor: string,
): Promise<void> {
  const ordinal = accessKeyDelivery.indexOf(step) + 1
  await insertOnce(tx, 'credential_deliveries', {
    credential_id: credentialId,
    ordinal,
    step,
    actor,
  })
}

/**
 * Records the last three steps as far as the tables prove them and the steps before them are taken: the key is delivered
 * once it is claimed, whatever notice was sent, rotation is ready once the agent has an active signing key, and the gateway
 * once the agent has claimed the credential.
 */
export async function recordReached(tx: Tx, credentialId: string): Promise<void> {
  const { taken, agent_id, rotatable, claimed } = await tx
    .selectFrom('agent_credentials as c')
    .where('credential_id', '=', credentialId)
    .select([
      'agent_id',
      sql<boolean>`state <> 'revoked' and exists (select from agent_signing_versions v
        where v.agent_id = c.agent_id and v.state = 'active')`.as('rotatable'),
      sql<boolean>`claimed_at is not null`.as('claimed'),
      sql<number>`(select count(*)::int from credential_deliveries d
        where d.credential_id = c.credential_id)`.as('taken'),
    ])
    .executeTakeFirstOrThrow()
  const before = accessKeyDelivery.indexOf('callback_or_contact_delivery')
  const isDue = claimed && taken === before
  if (isDue) await recordDelivery(tx, credentialId, 'callback_or_contact_delivery', agent_id)
  if ((!isDue && taken <= before) || !rotatable) return
  await recordDelivery(tx, credentialId, 'rotation_ready', agent_id)
  if (claimed) await recordDelivery(tx, credentialId, 'gateway_ready', agent_id)
}

/** The recorded steps of a credential, in order. */
export async function listDeliveries(tx: Tx, credentialId: string): Promise<DeliveryStep[]> {
  const rows = await tx
    .selectFrom('credential_deliveries')
    .select('step')
    .where('credential_id', '=', credentialId)
    .orderBy('ordinal')
    .execute()
  return rows.map(({ step }) => step)
}
