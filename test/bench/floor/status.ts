import { createPublicKey, randomBytes, verify } from 'node:crypto'
import express from 'express'
import { serveParent } from '../child.ts'
import { commit, granted, openPool } from './rows.ts'

/** Bare Express and pg: reads a payout, verifies one secp256k1 signature with OpenSSL, commits the call, and answers. */
serveParent({
  open: async ({ databaseUrl }: { databaseUrl: string }): Promise<string> => {
    const pool = openPool(databaseUrl)
    const app = express()
    app.disable('x-powered-by')
    app.disable('etag')
    app.post('/status', express.json(), async (request, response) => {
      const { payout_id: payoutId } = request.body as { payout_id: string }
      const [publicKey = '', signature = ''] = (request.get('x-proof') ?? '').split('.')
      const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' })
      const text = Buffer.from(JSON.stringify(request.body))
      const dsaEncoding = 'ieee-p1363'
      if (!verify('sha256', text, { key, dsaEncoding }, Buffer.from(signature, 'base64url'))) {
        response.status(401).json({ code: 'wallet_proof_invalid' })
        return
      }
      const { rows } = await pool.query({ name: 'status', text: statusQuery, values: [payoutId] })
      const answer = JSON.stringify(rows[0])
      const nonce = randomBytes(16).toString('hex')
      const callId = `call_${randomBytes(32).toString('hex')}`
      await commit(pool, granted(rows[0].creator, callId, nonce, answer))
      response.type('json').send(answer)
    })
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/status`)
      })
    })
  },
})

const statusQuery = `select payouts.*, to_jsonb(transfers) as transfer,
    (select json_agg(jws order by seq) from receipts where subject = payouts.payout_id) as receipts
  from payouts left join transfers using (payout_id) where payouts.payout_id = $1`
