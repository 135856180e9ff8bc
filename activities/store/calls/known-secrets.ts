import type { Tx } from '../postgres/db.ts'

/**
 * The first of these SHA-256 digests that an agent, work order, pilot, task or credential is stored under. Undefined if
 * there is none.
 */
export async function findKnownSecret(
  tx: Tx,
  kind: string,
  sha256s: readonly string[],
): Promise<string | undefined> {
  switch (kind) {
    case 'st': {
      const found = tx
        .selectFrom('agents')
        .select('status_token_sha256')
        .where('status_token_sha256', 'in', sha256s)
      return (await found.executeTakeFirst())?.status_token_sha256
    }
    case 'wt': {
      const orders = tx.selectFrom('work_orders').select('status_token_sha256')
      return (await orders.where('status_token_sha256', 'in', sha256s).executeTakeFirst())
        ?.status_token_sha256
    }
    case 'pt': {
      const pilots = tx.selectFrom('pilots').select('status_token_sha256')
      return (await pilots.where('status_token_sha256', 'in', sha256s).executeTakeFirst())
        ?.status_token_sha256
    }
    case 'tk': {
      const ids = sha256s.map((sha256) => `task-${sha256}`)
      const found = await tx
        .selectFrom('tasks')
        .select('task_id')
        .where('task_id', 'in', ids)
        .executeTakeFirst()
      return found?.task_id.slice('task-'.length)
    }
    case 'credential': {
      const found = tx
        .selectFrom('agent_credentials')
        .select('secret_sha256')
        .where('secret_sha256', 'in', sha256s)
      return (await found.executeTakeFirst())?.secret_sha256 ?? undefined
    }
    case 'quote': {
      const found = tx
        .selectFrom('quotes')
        .select('token_sha256')
        .where('token_sha256', 'in', sha256s)
      return (await found.executeTakeFirst())?.token_sha256 ?? undefined
    }
    default:
      throw new Error(`no secret is derived for ${kind}`)
  }
}
