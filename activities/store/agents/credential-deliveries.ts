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

/** Records this step and the missing steps before it, in order. */
export async function recordDeliveryThrough(
  tx: Tx,
  credentialId: string,
  step: DeliveryStep,
  actor: string,
): Promise<void> {
  const taken = await listDeliveries(tx, credentialId)
  const through = accessKeyDelivery.slice(0, accessKeyDelivery.indexOf(step) + 1)
  for (const next of through.filter((one) => !taken.includes(one)))
    await recordDelivery(tx, credentialId, next, actor)
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
