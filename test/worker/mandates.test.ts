import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { freshKey } from '../support/agent-use.ts'
import { ap2Terms, issueAp2 } from '../support/ap2-over-http.ts'
import { openAuthority } from '../support/authority.ts'
import { runCli } from '../support/cli.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { codeOf } from '../support/problems.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis
let authority: Awaited<ReturnType<typeof openAuthority>>
beforeAll(async () => {
  apis = await startComposed()
  authority = await openAuthority(apis.hosts, apis.operator)
})
afterAll(() => apis?.stop())

const cli = (...args: string[]) =>
  runCli(
    { ...apis.env, BASE_URL: apis.hosts[0]?.base ?? '', OPERATOR_CREDENTIAL: apis.operator },
    'mandates',
    ...args,
  )
async function fileOf(content: unknown): Promise<string> {
  const path = join(dirname(apis.config.SIGNING_KEYS_FILE), freshKey())
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const issueSmall = () =>
  issueAp2(authority.console, {
    ...ap2Terms(authority.agent_id),
    payment: { constraints: [{ type: 'payment.budget' as const, max: 0.29, currency: 'USD' }] },
  })

verifies('authority.commands', 'a mandate is listed, shown, inspected and revoked', async () => {
  const mandate = await authority.issue({ principal_id: 'acme:cli' })
  const { mandate_id } = mandate
  const listed = await cli('list', '--search', 'acme:cli', '--state', 'active')
  expect(listed).toMatchObject({ code: 0, out: expect.stringContaining(mandate_id) })
  expect(listed.out).toContain('0 of 500 USD')
  expect((await cli('list', '--search', 'acme:none')).out).toContain('no mandate matches')
  const shown = JSON.parse((await cli('show', mandate_id, '--json')).out)
  expect(shown).toMatchObject({ mandate_id, document: mandate.signed_mandate })
  for (const content of [mandate.signed_mandate, mandate]) {
    const inspected = await cli('inspect', await fileOf(content))
    expect(inspected).toMatchObject({ code: 0, out: expect.stringContaining('mandate_genuine') })
  }
  const changed = await fileOf({ ...mandate.signed_mandate, purpose: 'More.' })
  expect((await cli('inspect', changed)).code).toBe(1)
  const revoked = await cli('revoke', mandate_id, '--reason', 'the work is done', '--json')
  expect(JSON.parse(revoked.out)).toMatchObject({
    state: 'revoked',
    receipt: { kind: 'mandate_revoked' },
  })
  expect((await cli('inspect', await fileOf(mandate))).code).toBe(1)
})

verifies(
  ['ap2.inspect', 'authority.commands'],
  'mandates of AP2 are inspected by file and by the agent itself',
  async () => {
    const issued = await issueSmall()
    const inspected = await cli('inspect', await fileOf(issued), '--json')
    expect(inspected.code).toBe(0)
    expect(JSON.parse(inspected.out)).toMatchObject({
      valid: true,
      state: 'active',
      budget: { currency: 'USD', total: '0.29', left: '0.29' },
      mandates: { open_checkout: { vct: 'mandate.checkout.open.1' } },
    })
    const payment = await fileOf(issued.open_payment_mandate)
    const checkout = await fileOf(issued.open_checkout_mandate)
    const text = await cli('inspect', payment, '--checkout', checkout)
    expect(text.out).toMatch(/payment\.budget +met/)
    const action = { ap2: { payment: issued.open_payment_mandate } }
    const inspect = (client: Pick<typeof authority.client, 'call'>) =>
      client.call('inspect-mandate', { mode: 'inspect_mandate', action })
    expect((await inspect(authority.client)).body).toMatchObject({ valid: true })
    const other = await openAuthority(apis.hosts, apis.operator)
    expect(await codeOf(inspect(other.client))).toBe('not_owner')
    const neither = authority.client.call('inspect-mandate', { mode: 'inspect_mandate' })
    expect(await codeOf(neither)).toBe('invalid_request')
    await authority.revoke(issued)
    expect((await cli('inspect', payment)).code).toBe(1)
    expect((await inspect(authority.client)).body).toMatchObject({ state: 'revoked' })
  },
)
