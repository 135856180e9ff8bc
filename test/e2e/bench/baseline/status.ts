import { randomBytes } from 'node:crypto'
import { serveParent } from '../child.ts'
import { listen } from './listen.ts'
import { isProven } from './proof.ts'
import { commit, granted, openPool } from './rows.ts'

/** Bare Express and pg: reads a payout, verifies one secp256k1 signature with OpenSSL, commits the call, and answers. */
serveParent({
  open: async ({ databaseUrl }: { databaseUrl: string }): Promise<string> => {
    const pool = openPool(databaseUrl)
    const origin = await listen((app) => {
      app.post('/status', async (request, response) => {
        const { payout_id: payoutId } = request.body as { payout_id: string }
        if (!isProven(request))
          return void response.status(401).json({ code: 'wallet_proof_invalid' })
        const { rows } = await pool.query({ name: 'status', text: statusQuery, values: [payoutId] })
        const answer = JSON.stringify(rows[0])
        const nonce = randomBytes(16).toString('hex')
        const callId = `call_${randomBytes(32).toString('hex')}`
        await commit(pool, granted(rows[0].creator, callId, nonce, answer))
        response.type('json').send(answer)
      })
    })
    return `${origin}/status`
  },
})

const statusQuery = `select payouts.*, to_jsonb(transfers) as transfer,
    (select json_agg(jws order by seq) from receipts where subject = payouts.payout_id) as receipts
  from payouts left join transfers using (payout_id) where payouts.payout_id = $1`
