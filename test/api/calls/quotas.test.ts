import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { createClient, ProblemError } from '../../../api/http/client.ts'
import { freeProof } from '../../support/commerce.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { newAgentClient, trustedAgent } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

// Temporal is not there, so that a task that passes its quotas is a 503.
let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({
    apis: 2,
    env: {
      TRUST_PROXY: '1',
      QUOTA_TASKS_PER_DAY: '4/5/6/1000',
      INPUT_BYTES_PER_SANDBOX: '2000',
      INPUT_BYTES_OF_SANDBOXES: '5000',
      INPUT_BYTES_PER_AGENT: '100000',
    },
  })
})
afterAll(() => apis?.stop())

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => {
      if (error instanceof ProblemError) return error.code
      throw error
    },
  )
const through = (from: string) => (url: string, init: RequestInit) => {
  const headers = new Headers(init.headers)
  headers.set('x-forwarded-for', from)
  return fetch(url, { ...init, headers })
}
const clientOf = (agent: string, from = '198.51.100.200', api = 0) => {
  const { base, os } = apis.hosts[api]!
  return createClient({ baseUrl: base, osUrl: os, agent, fetch: through(from) })
}

async function register(few: ComposedApis, from: string, api: number) {
  const { base, os } = few.hosts[api]!
  const client = createClient({ baseUrl: base, osUrl: os, fetch: through(from) })
  const input = newAgentClient({ base, os }).manifest({ sandbox: true })
  return codeOf(client.call('agent-register', input))
}

verifies(
  'admission.quotas',
  'registrations end for one address and for all, over both processes',
  async () => {
    const env = { TRUST_PROXY: '1', QUOTA_REGISTRATIONS_PER_DAY: '10/3/8/1000' }
    const few = await startComposed({ apis: 2, env })
    const of = async (from: string, count: number) => {
      const codes: string[] = []
      for (let call = 0; call < count; call++) codes.push(await register(few, from, call % 2))
      return codes.filter((code) => code === 'answered').length
    }
    try {
      expect(await of('198.51.100.1', 5)).toBe(3)
      expect(await of('198.51.100.2', 5)).toBe(3)
      expect(await of('198.51.100.3', 5)).toBe(2)
    } finally {
      await few.stop()
    }
  },
)

verifies('admission.quotas', 'what free public calls keep counts in the stored bytes', async () => {
  const env = { TRUST_PROXY: '1', QUOTA_KIB_PER_DAY: '100/2/100/1000' }
  const few = await startComposed({ env })
  const baseUrl = few.hosts[0]?.base ?? ''
  const from = (address: string) => createClient({ baseUrl, fetch: through(address) })
  const scout = { task: 'assemble evidence packets' }
  const service = {
    mode: 'run_service' as const,
    service_id: 'tool_agent_pricing',
    task: '{"rail":"packetops"}',
  }
  const calls = [
    (address: string) => from(address).call('commerce-proof-evaluate', freeProof()),
    (address: string) => from(address).call('service-scout-run', scout),
    (address: string) => from(address).call('run-service', service),
  ]
  try {
    for (const [at, call] of calls.entries()) {
      const next = () => codeOf(call(`198.51.100.${11 + at}`))
      // A process of the public pool may take longer to start than a call waits for it; what failed counts as well.
      let warm = 100 + 40 * at
      while ((await codeOf(call(`198.51.100.${warm}`))) === 'unavailable') warm += 1
      expect([await next(), await next(), await next()]).toEqual([
        'answered',
        'answered',
        'rate_limited',
      ])
    }
  } finally {
    await few.stop()
  }
})

const hosts = () => apis.hosts[0]!
async function newSandbox(): Promise<string> {
  const fresh = await trustedAgent(hosts(), apis.operator, { sandbox: true })
  return fresh.credential
}

const preflight = (agent: string, from: string, at: number) =>
  codeOf(
    clientOf(agent, from, at % 2).call('preflight', {
      rail: 'tokenops',
      tier: 'entry',
      usage: 'synthetic',
      objective: 'read usage',
      input_manifest: [{ name: 'input', sha256: 'a'.repeat(64), bytes: 10 }],
      idempotency_key: `p-${at}-${randomBytes(4).toString('hex')}`,
    }),
  )
async function begun(agent: string, from: string, count: number): Promise<number> {
  const codes: string[] = []
  for (let at = 0; at < count; at++) codes.push(await preflight(agent, from, at))
  expect(codes.filter((code) => code !== 'rate_limited' && code !== 'answered')).toEqual([])
  return codes.filter((code) => code === 'answered').length
}

verifies(
  'admission.quotas',
  'task quotas of agent, address and sandboxes spare trusted agents',
  async () => {
    const [one, other, third] = [await newSandbox(), await newSandbox(), await newSandbox()]
    expect(await begun(one, '198.51.100.21', 6)).toBe(4)
    expect(await begun(other, '198.51.100.21', 3)).toBe(1)
    expect(await begun(other, '198.51.100.22', 3)).toBe(1)
    expect(await begun(third, '198.51.100.23', 2)).toBe(0)
    const trusted = await trustedAgent(hosts(), apis.operator)
    expect(await begun(trusted.credential, '198.51.100.21', 5)).toBe(4)
  },
)

const kinds = {
  // Four registrations are counted as well.
  bytes: { QUOTA_KIB_PER_DAY: '3/4/10/1000' },
  workflows: { QUOTA_WORKFLOWS_PER_DAY: '6/8/12/1000' },
  'callback requests': { QUOTA_POSTS_PER_DAY: '48/64/96/1000' },
}
for (const [kind, quota] of Object.entries(kinds))
  verifies(
    'admission.quotas',
    `${kind}: quotas of agent, address and sandboxes spare the trusted`,
    async () => {
      const few = await startComposed({ env: { TRUST_PROXY: '1', ...quota } })
      const [{ base, os } = hosts()] = few.hosts
      const begin = async (agent: string, from: string, count: number) => {
        const client = createClient({ baseUrl: base, osUrl: os, agent, fetch: through(from) })
        const codes: string[] = []
        for (let at = 0; at < count; at++) {
          const idempotency_key = randomBytes(8).toString('hex')
          const input = {
            rail: 'tokenops',
            tier: 'entry',
            usage: 'synthetic',
            objective: 'read usage',
          } as const
          const input_manifest = [{ name: 'input', sha256: 'a'.repeat(64), bytes: 10 }]
          const callback_url = `${few.config.BASE_URL}${demoReceiverPath}`
          codes.push(
            await codeOf(
              client.call('preflight', { ...input, input_manifest, callback_url, idempotency_key }),
            ),
          )
        }
        expect(codes.filter((code) => code !== 'rate_limited' && code !== 'answered')).toEqual([])
        return codes.filter((code) => code === 'answered').length
      }
      try {
        const sandbox = async () =>
          (await trustedAgent({ base, os }, few.operator, { sandbox: true })).credential
        const [one, other, third] = [await sandbox(), await sandbox(), await sandbox()]
        const trusted = await trustedAgent({ base, os }, few.operator)
        const first = '198.51.100.41'
        const of = [
          await begin(one, first, 4),
          await begin(other, first, 3),
          await begin(other, '198.51.100.42', 4),
        ]
        expect(of).toEqual([3, 1, 2])
        expect(await begin(third, '198.51.100.43', 2)).toBe(0)
        expect(await begin(trusted.credential, first, 3)).toBe(3)
      } finally {
        await few.stop()
      }
    },
  )

verifies(
  'admission.quotas',
  'a trusted agent registers others when untrusted callers cannot',
  async () => {
    const few = await startComposed({
      env: { TRUST_PROXY: '1', QUOTA_REGISTRATIONS_PER_DAY: '2/3/3/10' },
    })
    try {
      const [{ base, os } = hosts()] = few.hosts
      const { credential } = await trustedAgent({ base, os }, few.operator)
      const as = (agent?: string) => {
        const known = agent === undefined ? {} : { agent }
        const client = createClient({
          baseUrl: base,
          osUrl: os,
          fetch: through('198.51.100.51'),
          ...known,
        })
        return codeOf(
          client.call('agent-register', newAgentClient({ base, os }).manifest({ sandbox: true })),
        )
      }
      const codes = [await as(), await as(), await as(), await as()]
      expect(codes.at(-1)).toBe('rate_limited')
      expect([await as(credential), await as(credential), await as(credential)]).toEqual([
        'answered',
        'answered',
        'rate_limited',
      ])
    } finally {
      await few.stop()
    }
  },
)

const upload = (agent: string, bytes: number) => {
  const content = randomBytes(bytes)
  const input = { sha256: createHash('sha256').update(content).digest('hex') }
  return codeOf(
    clientOf(agent).call('input-upload', input, {
      upload: { mediaType: 'text/csv', bytes: content },
    }),
  )
}

verifies(
  'admission.upload-room',
  'storage is limited per sandbox, for all sandboxes, per trusted agent',
  async () => {
    const [one, other, third] = [await newSandbox(), await newSandbox(), await newSandbox()]
    expect([await upload(one, 1_500), await upload(one, 600)]).toEqual([
      'answered',
      'control_denied',
    ])
    expect(await upload(other, 1_900)).toBe('answered')
    // What an upload may have at most is reserved while it runs.
    expect(await upload(third, 100)).toBe('unavailable')
    const trusted = await trustedAgent(hosts(), apis.operator)
    expect(await upload(trusted.credential, 50_000)).toBe('answered')
  },
)

verifies(
  'admission.upload-room',
  'an upload is refused below the minimum free space of the volume',
  async () => {
    const full = await startComposed({
      env: { INPUT_SPACE_PATH: '.', INPUT_SPACE_MIN: String(2 ** 52) },
    })
    try {
      const { credential } = await trustedAgent(full.hosts[0]!, full.operator)
      const content = randomBytes(10)
      const sha256 = createHash('sha256').update(content).digest('hex')
      const client = createClient({ baseUrl: full.hosts[0]!.base, agent: credential })
      const call = client.call(
        'input-upload',
        { sha256 },
        { upload: { mediaType: 'text/csv', bytes: content } },
      )
      expect(await codeOf(call)).toBe('unavailable')
    } finally {
      await full.stop()
    }
  },
)

verifies(
  'admission.registered-callback',
  'a sandbox calls back only the demo receiver, no agent a private host',
  async () => {
    const registered = (callback_url: string, sandbox: boolean) => {
      const agent = newAgentClient(hosts())
      const client = createClient({
        baseUrl: hosts().base,
        fetch: through(`203.0.113.${callback_url.length}`),
      })
      return codeOf(
        client.call('agent-register', agent.manifest({ contact: { callback_url }, sandbox })),
      )
    }
    expect(await registered('https://hooks.agent.example/x', true)).toBe('callback_refused')
    for (const inside of [
      'https://localhost/x',
      'https://127.0.0.1/',
      'https://[::1]/x',
      'https://hooks.agent.example:8443/',
    ])
      expect(await registered(inside, false), inside).toBe('callback_refused')
    expect(await registered('https://hooks.agent.example/taken', false)).toBe('answered')
  },
)

verifies(
  'admission.quotas',
  'descriptions of services end for an address and for all; ids do not',
  async () => {
    const few = await startComposed({
      env: { TRUST_PROXY: '1', QUOTA_CANDIDATES_PER_DAY: '10/3/5/1000' },
    })
    try {
      const [{ base } = hosts()] = few.hosts
      const inspect = (from: string, named: object) => {
        const client = createClient({ baseUrl: base, fetch: through(from) })
        return codeOf(
          client.call('inspect-service', { mode: 'inspect_service', ...named } as never),
        )
      }
      const [first, second, third] = ['198.51.100.61', '198.51.100.62', '198.51.100.63'] as const
      const denied = async (from: string) => {
        const codes: string[] = []
        for (let at = 0; at < 4; at++)
          codes.push(
            await inspect(from, { candidate: { name: `x${at}`, url: 'https://localhost/' } }),
          )
        return codes.filter((code) => code === 'candidate_denied').length
      }
      expect([await denied(first), await denied(second), await denied(third)]).toEqual([3, 2, 0])
      expect(await inspect(first, { service_id: 'svc_packetops' })).toBe('answered')
    } finally {
      await few.stop()
    }
  },
)
