import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { advanceInvitation } from '../../../../activities/store/pilots/invitations.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { agentOfPilots, invitationsOf, requestedPilot } from '../../../support/pilots.ts'
import { codeOf, problemOf } from '../../../support/problems.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

// Temporal is not there: a test takes the steps of the workflow.
let apis: Awaited<ReturnType<typeof startComposed>>
let invitations: ReturnType<typeof invitationsOf>
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_PUBLIC_WRITES_PER_MINUTE: '6000' } })
  invitations = invitationsOf(apis.hosts[0]!, apis.operator)
})
afterAll(() => apis?.stop())

type Client = Pick<ReturnType<typeof createClient>, 'call'>
const pilotAgent = () => agentOfPilots(apis.hosts[0]!, apis.operator)
const advance = (pilotId: string) => transaction(apis.db, (tx) => advanceInvitation(tx, pilotId))
/** So much of an invitation's time passes, without a test that waits for it and races what is left. */
const letPass = (pilotId: string, seconds: number) =>
  transaction(apis.db, async (tx) => {
    await sql`alter table pilots disable trigger user`.execute(tx)
    const time = sql`interval '1 second' * ${seconds}`
    await sql`update pilots set created_at = created_at - ${time},
      expires_at = expires_at - ${time} where pilot_id = ${pilotId}`.execute(tx)
    await sql`alter table pilots enable trigger user`.execute(tx)
  })
const respond = (token: string, more: Partial<InputOf<'invitation-respond'>>) =>
  invitations.respond(token, more)

verifies('pilots.invitation', 'an invitation is accepted once, with its terms', async () => {
  const { pilot, invitation_token } = await invitations.invite()
  expect(pilot).toMatchObject({ source: 'invitation', state: 'invited' })
  const read = await invitations.read(invitation_token)
  expect(digestOf(read.terms)).toBe(read.terms_sha256)
  expect(read.terms).toMatchObject({ pilot_id: pilot.pilot_id, total_usd: pilot.total_usd })
  const { terms_sha256 } = read
  const asked = await respond(invitation_token, { response: 'ask_question', message: 'When?' })
  expect(asked.body).toMatchObject({
    pilot: { state: 'invited' },
    receipt: { kind: 'invitation_response' },
  })
  expect(await problemOf(respond(invitation_token, { response: 'ask_question' }))).toMatchObject({
    status: 400,
  })
  const other = respond(invitation_token, { response: 'accept', terms_sha256: '0'.repeat(64) })
  expect(await problemOf(other)).toMatchObject({ status: 422, code: 'terms_mismatch' })
  const idempotency_key = freshKey()
  const accept = { response: 'accept', terms_sha256, idempotency_key } as const
  const client = { name: 'Northwind EMEA', contact: 'emea@northwind.example' }
  const accepted = (await respond(invitation_token, { ...accept, client })).body
  expect(accepted).toMatchObject({
    pilot: { state: 'accepted', client: { name: 'Northwind EMEA' } },
    receipt: { subject: pilot.pilot_id, payload: { response: 'accept', terms_sha256 } },
  })
  expect((await respond(invitation_token, { ...accept, client })).body).toEqual(accepted)
  expect(await codeOf(respond(invitation_token, { response: 'decline' }))).toBe('wrong_state')
  const pro = await invitations.invite({ tier: 'pro' })
  expect((await invitations.read(pro.invitation_token)).terms_sha256).not.toBe(terms_sha256)
  const both = ['accept', 'decline'] as const
  const { terms_sha256: ofPro } = await invitations.read(pro.invitation_token)
  const answers = await Promise.allSettled(
    both.map((response) => respond(pro.invitation_token, { response, terms_sha256: ofPro })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

verifies('pilots.invitation', 'the token is for its pilot and shown once', async () => {
  const input = invitations.input()
  const first = await invitations.invite(input)
  expect((await invitations.invite(input)).invitation_token).toBe(first.invitation_token)
  const { rows } =
    await sql`select 1 from calls where answer::text like ${`%${first.invitation_token}%`}`.execute(
      apis.db,
    )
  expect(rows).toEqual([])
  const intake = await invitations.intake()
  expect(await codeOf(invitations.read(intake.status_token))).toBe('not_found')
  expect(await codeOf(respond(intake.status_token, { response: 'decline' }))).toBe('not_found')
})

verifies(
  'pilots.invitation-workflow',
  'it is shown again, closed, or ends at its time',
  async () => {
    const { pilot } = await invitations.invite({ valid_for_seconds: 3_600 })
    const { pilot_id } = pilot
    expect(await advance(pilot_id)).toMatchObject({ state: 'invited', reminded_at: null })
    expect(await invitations.waiting(pilot_id)).toEqual([])
    await letPass(pilot_id, 1_800)
    expect((await advance(pilot_id))?.reminded_at).not.toBeNull()
    expect(await invitations.waiting(pilot_id)).toMatchObject([
      { subject_kind: 'pilot', state: 'invited', allowed_decisions: ['reject'] },
    ])
    await letPass(pilot_id, 1_800)
    expect((await advance(pilot_id))?.state).toBe('expired')
    expect(await advance(pilot_id)).toMatchObject({ state: 'expired', wait_ms: 0 })
    expect(await invitations.waiting(pilot_id)).toEqual([])

    const late = await invitations.invite({ valid_for_seconds: 3_600 })
    await letPass(late.pilot.pilot_id, 3_600)
    const answer = respond(late.invitation_token, { response: 'decline' })
    expect(await problemOf(answer)).toMatchObject({ status: 410, code: 'invitation_expired' })
    const early = sql`update pilots set state = 'expired' where pilot_id = ${(await invitations.invite()).pilot.pilot_id}`
    await expect(early.execute(apis.db)).rejects.toThrow('an invitation ends at its time')
  },
)

const openCheckout = (by: Client, quote_id: string, invitation_token: string) =>
  by.call('rail-checkout-open', {
    quote_id,
    payment_path: 'invoice_or_purchase_order',
    customer: { name: 'Northwind GmbH', email: 'ap@northwind.example' },
    invitation_token,
    idempotency_key: freshKey(),
  })
const pilotOf = (pilotId: string) =>
  apis.db
    .selectFrom('pilots')
    .select(['state', 'agent_id', 'challenge_id'])
    .where('pilot_id', '=', pilotId)
    .executeTakeFirstOrThrow()

verifies('pilots.checkout', 'a pilot is bound by the agent of the quote alone', async () => {
  const [one, two] = await Promise.all([pilotAgent(), pilotAgent()])
  const { pilot, invitation_token } = await invitations.invite()
  const { terms_sha256 } = await invitations.read(invitation_token)
  await respond(invitation_token, { response: 'accept', terms_sha256 })
  const quote_id = await two.quote('standard')
  const bind = (by: Client) => problemOf(openCheckout(by, quote_id, invitation_token))
  const { base } = apis.hosts[0]!
  expect(await bind(createClient({ baseUrl: base }))).toMatchObject({
    status: 401,
    code: 'credential_required',
  })
  expect(await bind(one.client)).toMatchObject({ status: 403, code: 'not_owner' })
  const { credential } = await trustedAgent(apis.hosts[0]!, apis.operator, {
    rails: ['financeops'],
    requested_scopes: ['runs:read'],
  })
  const reader = createClient({ baseUrl: base, agent: credential })
  expect(await bind(reader)).toMatchObject({ status: 403, code: 'scope_denied' })
  const unbound = { state: 'accepted', agent_id: null, challenge_id: null }
  expect(await pilotOf(pilot.pilot_id)).toEqual(unbound)
  const { rows } = await sql`select 1 from payment_challenges
    where quote_id = ${quote_id}`.execute(apis.db)
  expect(rows).toEqual([])
  await openCheckout(two.client, quote_id, invitation_token)
  expect((await pilotOf(pilot.pilot_id)).agent_id).toBe(two.agentId)
})

verifies('pilots.checkout', 'a checkout activates an accepted pilot once', async () => {
  const [one, two] = await Promise.all([pilotAgent(), pilotAgent()])
  const { pilot, invitation_token } = await invitations.invite()
  const checkout = (quote_id: string, token = invitation_token, by = one) =>
    openCheckout(by.client, quote_id, token)
  const mine = await one.quote('standard')
  expect(await codeOf(checkout(mine))).toBe('wrong_state')
  const { terms_sha256 } = await invitations.read(invitation_token)
  await respond(invitation_token, { response: 'accept', terms_sha256 })
  expect(await codeOf(checkout(await one.quote('pro')))).toBe('quote_mismatch')
  const sandbox = await agentOfPilots(apis.hosts[0]!, apis.operator, true)
  const ofSandbox = checkout(await sandbox.quote('standard'), invitation_token, sandbox)
  expect(await codeOf(ofSandbox)).toBe('trust_required')
  const intake = await invitations.intake()
  expect(await codeOf(checkout(mine, intake.status_token))).toBe('not_found')
  const opened = (await checkout(mine)).body
  expect(opened.pilot).toEqual({ pilot_id: pilot.pilot_id, state: 'activated' })
  expect((await checkout(mine)).body).toMatchObject({
    challenge: { challenge_id: opened.challenge.challenge_id },
    pilot: { state: 'activated' },
  })
  const ofTwo = checkout(await two.quote('standard'), invitation_token, two)
  expect(await codeOf(ofTwo)).toBe('wrong_state')
  const { rows } = await sql`
    select p.agent_id, p.challenge_id, r.kind from pilots p
    join receipts r on r.subject = p.pilot_id and r.kind = 'pilot_activated'
    where p.pilot_id = ${pilot.pilot_id}`.execute(apis.db)
  expect(rows).toEqual([
    {
      agent_id: one.agentId,
      challenge_id: opened.challenge.challenge_id,
      kind: 'pilot_activated',
    },
  ])
})

verifies('pilots.checkout', 'an accepted pilot takes one intake with its token', async () => {
  const { pilot, invitation_token } = await invitations.invite()
  const asked = { invitation_token, objective: 'Only the fourth quarter.' }
  const submit = (more = {}) => requestedPilot(apis.hosts[0]!.base, { ...asked, ...more })
  expect(await codeOf(submit())).toBe('wrong_state')
  const { terms_sha256 } = await invitations.read(invitation_token)
  await respond(invitation_token, { response: 'accept', terms_sha256 })
  expect(await codeOf(submit({ tier: 'pro' }))).toBe('wrong_state')
  const taken = await submit()
  expect(taken).toMatchObject({
    pilot: { pilot_id: pilot.pilot_id, state: 'accepted', objective: pilot.objective },
    work_order: { objective: asked.objective, intake_kind: 'workflow_intake' },
    receipt: { subject: pilot.pilot_id, kind: 'intake' },
    status_token: invitation_token,
  })
  expect(await codeOf(submit())).toBe('wrong_state')
})
