import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { accessKeyDelivery } from '#domain/agents/onboarding.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { createClient, type ProblemError } from '../../../api/http/client.ts'
import { restart } from '../../support/processes.ts'
import { decide, newAgentClient } from '../../support/registering-agent.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startStack({ apis: 2 })
})
afterAll(async () => {
  await stack?.stop()
})

const hosts = (api: number) => ({
  base: stack.baseUrls[api] as string,
  os: stack.osUrls[api] as string,
})

async function cli(...args: string[]): Promise<Record<string, unknown>> {
  const program = join(packageRoot, 'dist', 'worker', 'cli.js')
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
    env: stack.env,
  })
  return JSON.parse(stdout) as Record<string, unknown>
}

/** What each API process says of a credential. */
const checked = (agent: string) =>
  Promise.all(
    [0, 1].map(async (api) => {
      const { body } = await createClient({ baseUrl: hosts(api).base, agent }).call(
        'credential-enforce',
        {
          operation_id: 'agent-status',
        },
      )
      return body.credential?.state ?? 'unknown'
    }),
  )

const keyIn = ({
  body,
}: Pick<Awaited<ReturnType<ReturnType<typeof newAgentClient>['shake']>>, 'body'>) =>
  body.credential_envelope?.sealed === false ? body.credential_envelope.credential : ''

verifies(
  ['agent.onboarding.end-to-end', 'agent.credential.rotated', 'agent.revoked-at-once'],
  'an agent claims its key at another process after a kill',
  async () => {
    const operator = stack.accounts.operator.credential
    const agent = newAgentClient(hosts(0))
    const manifest = agent.manifest()
    const idempotencySecret = 'the-secret-of-this-agent'
    const client = (api: number) => createClient({ baseUrl: hosts(api).base, idempotencySecret })
    const registered = (await client(0).call('agent-register', manifest)).body
    await stack.api(0).kill('SIGKILL')
    const elsewhere = createClient({
      baseUrl: hosts(1).base,
      osUrl: hosts(1).os,
      statusToken: registered.status_token,
    })
    // Another process, with nothing but the keys file and Postgres, gives the same token.
    expect((await client(1).call('agent-register', manifest)).body).toEqual(registered)
    await decide(hosts(1), operator, registered.agent.agent_id, 'approve', {
      contact_notified: true,
    })
    const nonce = (await elsewhere.call('handshake-read', {})).body.nonce
    const input = {
      nonce,
      signature: agent.signed(nonce, registered.status_token),
      protocol_version: '1',
      claim_credential: true,
    } as const
    const claimed = (await elsewhere.call('handshake', input)).body
    await restart(stack.api(0))
    // The claim's answer was lost on the way, say: its repeat at the other process is the same.
    expect((await agent.shake(registered.status_token, true, nonce)).body).toEqual(claimed)
    const { steps } = await agent.status(registered.status_token)
    expect(
      steps
        .filter(({ done }) => done)
        .map(({ step }) => step)
        .slice(-6),
    ).toEqual(accessKeyDelivery)

    const first = keyIn({ body: claimed })
    expect(await checked(first)).toEqual(['active', 'active'])
    const why = ['--reason', 'spring', '--operator', operator]
    expect(
      await cli('credential', 'rotate', registered.agent.agent_id, ...why, '--overlap', '600'),
    ).toMatchObject({
      credential: { version: 2, state: 'pending' },
      receipt: { kind: 'key_event', payload: { act: 'rotate', operator_name: 'demo' } },
    })
    const second = keyIn(await agent.shake(registered.status_token, true))
    expect(await checked(first)).toEqual(['retiring', 'retiring'])
    const { receipt } = await cli('credential', 'revoke', first.split('_')[1] as string, ...why)
    expect(await checked(first)).toEqual(['revoked', 'revoked'])
    const verify = createClient({ baseUrl: hosts(0).base }).call('verify-receipt', {
      receipt: (receipt as { jws: string }).jws,
    })
    expect((await verify).body).toMatchObject({ verified: true, kind: 'key_event' })
    // The agent rotates over HTTP: the key that it asks with stops at once, and the next is for who holds the registered key.
    const asked = {
      mode: 'rotate_signing_credential',
      target: 'own_access_key',
      revoke_old: true,
    } as const
    const rotated = createClient({ baseUrl: hosts(1).base, agent: second }).call('signing-rotate', {
      ...asked,
      reason: 'leaked',
      idempotency_key: 'rotate-1',
    })
    expect((await rotated).body).toMatchObject({ version: { version: 3, state: 'pending' } })
    expect(await checked(second)).toEqual(['revoked', 'revoked'])
    expect(await checked(keyIn(await agent.shake(registered.status_token, true)))).toEqual([
      'active',
      'active',
    ])
    const unknown = createClient({
      baseUrl: hosts(0).base,
      statusToken: `st_${'A'.repeat(43)}`,
    }).call('agent-status', {})
    expect(await unknown.catch((error: ProblemError) => error.code)).toBe('not_found')
    expect(Object.values(stack.logs()).join('\n')).not.toContain(registered.status_token)
  },
)
