import { randomBytes } from 'node:crypto'
import { insertSigningVersion } from '../../activities/store/agents/agent-signing-versions.ts'
import { type AgentRow, insertAgent, type NewAgent } from '../../activities/store/agents/agents.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** A manifest of a new agent, as registration stores it. */
export function newAgent(more: Partial<NewAgent> = {}): NewAgent {
  return {
    agentId: `agt_${hex(32)}`,
    account: { accountId: `acc_${hex(32)}`, name: 'Example Ltd', country: 'GB' },
    name: 'agent',
    contact: { email: 'ops@agent.example' },
    capabilities: ['reads invoices'],
    rails: ['tokenops', 'financeops'],
    protocols: ['http'],
    requestedScopes: ['runs:read', 'runs:write'],
    publicKey: { kty: 'OKP', crv: 'Ed25519', x: randomBytes(32).toString('base64url') },
    keySha256: hex(32),
    encryptionKey: null,
    sandbox: false,
    statusTokenSha256: hex(32),
    registrationCall: hex(32),
    ...more,
  }
}

/** A registered agent with its first signing version. */
export async function registeredAgent(db: Tx, more: Partial<NewAgent> = {}): Promise<AgentRow> {
  const agent = newAgent(more)
  return transaction(db, async (tx) => {
    const row = await insertAgent(tx, agent)
    if (row === undefined) throw new Error('the key is taken')
    const { agentId, publicKey, keySha256 } = agent
    await insertSigningVersion(tx, { agentId, version: 1, publicKey, keySha256 })
    return row
  })
}
