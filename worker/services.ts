import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { credentialView } from '../activities/agents/views.ts'
import type { Config } from '../activities/config/config.ts'
import { receiptSigner } from '../activities/container.ts'
import { publishKeys } from '../activities/keys/publish-keys.ts'
import { type ControlDeps, type ControlInput, setControl } from '../activities/payouts/controls.ts'
import { openKeyRings } from '../activities/signer/open.ts'
import { listCredentials } from '../activities/store/agents/agent-credentials.ts'
import { listControlChanges, listPauses } from '../activities/store/operators/controls.ts'
import {
  createOperator,
  findOperator,
  listOperatorsNamed,
} from '../activities/store/operators/operators.ts'
import {
  clockSeconds,
  createDatabase,
  type Tx,
  transaction,
} from '../activities/store/postgres/db.ts'
import { findStatement } from '../activities/store/reconciliation/statements.ts'
import type { Database } from '../activities/store/schema/schema.ts'
import { type AuthenticatedOperator, authenticateOperator } from '../api/auth/operator.ts'
import {
  type RotateInput,
  revokeWithReceipt,
  rotateCredential,
} from '../api/services/agents/credentials.ts'
import { verifyStatement } from '../api/services/reconciliation/reconciliation.ts'
import { loadSettings } from './settings.ts'

/** Where operators' credentials are made. */
export async function openOperatorService() {
  const { db, close } = createDatabase({
    url: loadSettings().DATABASE_URL,
    applicationName: 'agent-rails cli',
    poolSize: 2,
  })
  return {
    create: async (name: string) => (await createOperator(db, name)).credential,
    [Symbol.asyncDispose]: close,
  }
}

/** Where operators pause and resume; an act here is the same as one through the API, with the same receipt. */
export async function openSwitches() {
  const config = loadSettings()
  const { db, close } = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails cli',
    poolSize: 2,
  })
  return {
    set: (who: string, input: ControlInput) =>
      signed(config, db, who, (deps, tx, operator) =>
        setControl(deps, tx, { ...operator, idempotencyKey: randomUUID() }, input),
      ),
    active: () => listPauses(db),
    history: () => listControlChanges(db, 50),
    [Symbol.asyncDispose]: close,
  }
}

/** Where the access keys of agents are listed, rotated and revoked, each act with its receipt. */
export async function openCredentials() {
  const config = loadSettings()
  const { db, close } = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails cli',
    poolSize: 2,
  })
  return {
    list: async (agentId: string) => {
      const now = await clockSeconds(db)
      return (await listCredentials(db, agentId)).map((row) => credentialView(row, now))
    },
    rotate: (who: string, input: Omit<RotateInput, 'by'>) =>
      signed(config, db, who, (deps, tx, operator) =>
        rotateCredential(deps, tx, { ...input, by: operator }),
      ),
    revoke: (who: string, input: { credentialId: string; reason: string }) =>
      signed(config, db, who, (deps, tx, operator) =>
        revokeWithReceipt(deps, tx, { ...input, by: operator }),
      ),
    [Symbol.asyncDispose]: close,
  }
}

/** Where the daily statements are read and verified. */
export async function openStatements() {
  const { db, close } = createDatabase({
    url: loadSettings().DATABASE_URL,
    applicationName: 'agent-rails cli',
    poolSize: 2,
  })
  return {
    read: async (day?: string) => {
      const row = await findStatement(db, day)
      return row === undefined
        ? undefined
        : { jws: row.jws, ...(await verifyStatement(db, row.jws)) }
    },
    [Symbol.asyncDispose]: close,
  }
}

type Act<T> = (deps: ControlDeps, tx: Tx, operator: AuthenticatedOperator) => Promise<T>

/** An operator's act with its receipt, in one transaction. */
export async function signed<T>(
  config: Config,
  db: Kysely<Database>,
  who: string,
  act: Act<T>,
): Promise<T> {
  const operator = await operatorOf(db, who)
  const keys = await openKeyRings(config)
  // A receipt is never signed by a key that is not published.
  await publishKeys(db, keys)
  const issuer = `${config.BASE_URL}/api/trust-contract`
  const deps = { issuer, environment: config.ENVIRONMENT, signReceipt: receiptSigner(keys) }
  return transaction(db, (tx) => act(deps, tx, operator))
}

/** The operator of a credential or a name; a process with the database and the keys may use the name of any operator. */
export async function operatorOf(db: Tx, who: string): Promise<AuthenticatedOperator> {
  if (who.startsWith('op_'))
    return authenticateOperator(
      { authorization: `Bearer ${who}` },
      {
        find: (operatorId) => findOperator(db, operatorId),
        findSession: async () => undefined,
        secure: true,
      },
    )
  const [operator, ...others] = await listOperatorsNamed(db, who)
  if (operator === undefined || others.length > 0)
    throw new Error(
      `${operator === undefined ? 'no operator' : 'more than one operator'} has the name ${who}`,
    )
  return operator
}
