import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const newWallet = () => `0x${hex(20)}`
const run = (text: string) => sql.raw(text).execute(database.db)
const refused = (text: string, code: string) =>
  expect(run(text), text).rejects.toMatchObject({ code })

/** One statement that inserts a receipt and then, in the same transaction, a row that cites it. */
async function withReceipt(insert: (receiptId: string) => string): Promise<void> {
  const id = `rc_${hex(32)}`
  await transaction(database.db, async (tx) => {
    const receipt = `insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
      values ('${id}', 'subject-${id}', 0, 'intake', 'j', 'k', '${hex(32)}')`
    await sql.raw(receipt).execute(tx)
    for (const statement of insert(id).split(';\n')) await sql.raw(statement).execute(tx)
  })
}

const proof = (wallet: string, seq: number, receiptId: string, content = 'abc') =>
  `insert into proofs (proof_id, wallet, seq, kind, label, content, bytes, receipt_id, stored_at)
    values ('${hex(32)}', '${wallet}', ${seq}, 'evidence', 'l', '${content}', ${content.length}, '${receiptId}', now())`
const opened = (wallet: string, records = 1, bytes = 3) =>
  `insert into proof_inboxes (wallet, records, bytes, head) values ('${wallet}', ${records}, ${bytes}, '${hex(32)}')`
const grown = (wallet: string, records: number, bytes: number) =>
  `update proof_inboxes set records = ${records}, bytes = ${bytes}, head = '${hex(32)}' where wallet = '${wallet}'`

verifies('trust.inbox.guarded', 'an inbox always counts the proofs that are there', async () => {
  const wallet = newWallet()
  await withReceipt((id) => `${opened(wallet)};\n${proof(wallet, 1, id)}`)
  await withReceipt((id) => `${grown(wallet, 2, 6)};\n${proof(wallet, 2, id)}`)
  const wrong = [
    (id: string) => proof(wallet, 3, id),
    (id: string) => `${grown(wallet, 3, 7)};\n${proof(wallet, 3, id)}`,
    (id: string) => `${grown(wallet, 4, 9)};\n${proof(wallet, 3, id)}`,
    (id: string) => `${opened(newWallet())};\n${proof(wallet, 3, id)}`,
  ]
  for (const insert of wrong)
    await expect(withReceipt(insert)).rejects.toMatchObject({ code: '23514' })
  await refused(grown(wallet, 3, 9), '23514')
  await refused(opened(newWallet(), 2), '23514')
  await refused(grown(wallet, 1, 3), '23514')
  await refused(`delete from proof_inboxes where wallet = '${wallet}'`, '23514')
})

verifies('trust.inbox.guarded', 'no row goes over 256 records or 4194304 bytes', async () => {
  const wallet = newWallet()
  await run(`alter table proof_inboxes disable trigger user`)
  try {
    await refused(opened(wallet, 257), '23514')
    await refused(opened(wallet, 256, 4_194_305), '23514')
    await run(opened(wallet, 256, 4_194_304))
    await refused(grown(wallet, 257, 4_194_304), '23514')
    await refused(grown(wallet, 256, 4_194_305), '23514')
  } finally {
    await run(`alter table proof_inboxes enable trigger user`)
  }
})

const passport = (receiptId: string, work: string, wallet: string) =>
  `insert into receipt_passports (passport_id, wallet, work, usage, jws, kid, receipt_id, call_id, issued_at)
    values ('pp_${hex(32)}', '${wallet}', '${work}', 'synthetic', '${hex(8)}', 'k', '${receiptId}', '${hex(8)}', now())`

verifies('trust.inbox.guarded', 'a work has one passport for each wallet', async () => {
  const [wallet, work] = [newWallet(), `wallet_free_call:${hex(16)}`]
  await withReceipt((id) => passport(id, work, wallet))
  await expect(withReceipt((id) => passport(id, work, wallet))).rejects.toMatchObject({
    code: '23505',
  })
  await withReceipt((id) => passport(id, work, newWallet()))
  for (const wrong of ['wallet_free_call:ab', `settled_payment:${hex(16)}`, 'other'])
    await expect(withReceipt((id) => passport(id, wrong, wallet))).rejects.toMatchObject({
      code: '23514',
    })
})

const pack = (receiptId: string, builder: string, seq: number, status: string) =>
  `insert into handoff_packs (pack_id, builder, recipient, task_id, seq, status, pack_sha256, expires_at, jws, kid, receipt_id, call_id, issued_at)
    values ('hp_${hex(32)}', '${builder}', '${newWallet()}', 't', ${seq}, '${status}', '${hex(32)}', now() + interval '1 hour',
      '${hex(8)}', 'k', '${receiptId}', '${hex(8)}', now())`

verifies(
  ['trust.inbox.guarded', 'trust.pack.series'],
  'packs typed by hand follow the statuses of the document',
  async () => {
    const statuses = ['pending', 'in_progress', 'blocked', 'completed']
    const allowed = new Set([
      'pending pending',
      'pending in_progress',
      'in_progress in_progress',
      'in_progress blocked',
      'in_progress completed',
      'blocked blocked',
      'blocked in_progress',
    ])
    for (const from of statuses)
      for (const to of statuses) {
        const builder = newWallet()
        await withReceipt((id) => pack(id, builder, 1, from))
        const follows = await withReceipt((id) => pack(id, builder, 2, to)).then(
          () => true,
          (error: { code?: string }) => error.code !== '23514',
        )
        expect(follows, `${from} ${to}`).toBe(allowed.has(`${from} ${to}`))
      }
    const builder = newWallet()
    await expect(withReceipt((id) => pack(id, builder, 2, 'pending'))).rejects.toMatchObject({
      code: '23514',
    })
  },
)

verifies('trust.inbox.guarded', 'what is stored is never changed or removed', async () => {
  const wallet = newWallet()
  await withReceipt((id) => `${opened(wallet)};\n${proof(wallet, 1, id)}`)
  await withReceipt((id) => passport(id, `settled_payment:${hex(32)}`, wallet))
  await withReceipt((id) => pack(id, wallet, 1, 'pending'))
  for (const change of [
    `update proofs set content = 'abd' where wallet = '${wallet}'`,
    `delete from proofs where wallet = '${wallet}'`,
    `update receipt_passports set usage = 'operational' where wallet = '${wallet}'`,
    `delete from receipt_passports where wallet = '${wallet}'`,
    `update handoff_packs set status = 'completed' where builder = '${wallet}'`,
    `delete from handoff_packs where builder = '${wallet}'`,
  ])
    await refused(change, '23514')
})
