import { addresses, BASE_URL, digests, ids } from './ids.ts'

const created = {
  payout_id: ids.payout,
  state: 'created',
  recipient: addresses.recipient,
  amount_usdc: '12.5',
  amount_atomic: '12500000',
  network: 'eip155:8453',
  asset: addresses.usdc,
  payout_wallet: addresses.payoutWallet,
  memo: 'Hosting, November 2026',
  rail_reference: 'invoice-2026-0117',
  usage: 'operational',
  environment: 'live',
  terms_sha256: digests.terms,
  creator: addresses.creator,
  created_at: '2026-11-24T09:30:00.000Z',
  authorized_at: null,
  executed_at: null,
  expires_at: null,
  mandate_ref: null,
  payout_principal_is_fee: false,
  money_moved: 'no',
  next_action: 'Authorize the payout.',
  transfer: {
    status: 'none',
    authorization_nonce: null,
    transaction_hash: null,
    block_number: null,
    confirmations: 0,
    next_poll_ms: null,
  },
} as const

const authorized = {
  ...created,
  state: 'authorized',
  authorized_at: '2026-11-24T09:31:10.000Z',
  expires_at: 1795530600,
  mandate_ref: digests.request,
  next_action: 'Execute the payout.',
} as const

const executed = {
  ...authorized,
  state: 'executed',
  executed_at: '2026-11-24T09:32:00.000Z',
  money_moved: 'yes',
  next_action: 'No action is needed. Keep the receipt.',
  transfer: {
    status: 'included',
    authorization_nonce: '0x78377b525757b494427f89014f97d79928f3938d14eb51e20fb5dec9834eb304',
    transaction_hash: '0xce922519a3c3ecaf9b0986c2449c7680895c15f4b0e9818e994e14a4d28b6aaf',
    block_number: 38_412_907,
    confirmations: 3,
    next_poll_ms: 2000,
  },
} as const

const jws = {
  created:
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicGF5b3V0X2NyZWF0ZWQiLCJzdWIiOiJwYXlvdXQifQ.n-36UFXk5bkmTsdU2fugSJ98-IqaL5BQezSbR7ruqeio6OOVvS5orOWmbaF--C42ulRjKDlCRoPZ1JXkyQdO_g',
  authorized:
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicGF5b3V0X2F1dGhvcml6ZWQiLCJzdWIiOiJwYXlvdXQifQ.gFtsSi6TesPInjkCjbMJsCmkcFBZzH14vPG-oXRalbK7nDI72zLcPsIVyUbFtqF3cIo8QrazDVDC0IKgf7YR1g',
  executed:
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicGF5b3V0X2V4ZWN1dGVkIiwic3ViIjoicGF5b3V0In0.wRjQmHNgxX1oapClXw3wdRjIXpNqElSz1cnS9KG47iwlrx1_IyXrIK1593rAr40E0TgVV7kh-ObEKwjWmEC-oA',
} as const

const callback = {
  callback_url: 'https://hooks.northwind.example/payouts',
  changed_at: '2026-11-24T09:00:00.000Z',
  host_proven: true,
} as const

/** One payout of 12.50 USDC for an invoice, from its terms to its transfer. */
export const payoutExamples = {
  'payout-create': {
    input: {
      recipient: addresses.recipient,
      amount_usdc: '12.5',
      idempotency_key: 'invoice-2026-0117',
      memo: 'Hosting, November 2026',
      rail_reference: 'invoice-2026-0117',
      usage: 'operational',
    },
    output: { payout: created, receipt: jws.created, receipts: [jws.created] },
  },
  'payout-challenge': {
    input: { holder_wallet: addresses.holder, request_sha256: digests.request },
    output: {
      challenge_token:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImNoYWxsZW5nZStqd3QifQ.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiY2hhbGxlbmdlIiwic3ViIjoicGF5b3V0In0.Me9Y_4SSbX0xALtNUsBjUKvaNzrBUNGiLho11Ju10wHTBX13HWOmXC8beTaVle8jOQ7viiFjDlBvtj18LMcoaQ',
      checkout_jwt:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImNoZWNrb3V0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiY2hlY2tvdXQiLCJzdWIiOiJwYXlvdXQifQ.1z0nLkN-N8OPVjkrN9o994lIsEM2XBW0MwiU2B5zV7EPFFl7EZYcDclU1AkNRoRijFNl59xS54ITy3kmhDMnGA',
      checkout_hash: 'x3YeWJafft1JgYZkGyAh6Ed-G80jDeTPNDUkLaSkDRQ',
      nonce: '16a5d6987c9c6f19eadf8759836f4382',
      audience: BASE_URL,
      holder_binding: { binding_version: 2, typed_data: { primaryType: 'HolderBinding' } },
      expires_at: 1795527420,
    },
  },
  'payout-authorize': {
    input: {
      payout_id: ids.payout,
      idempotency_key: 'invoice-2026-0117-authorize',
      presentation:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImRjK3NkLWp3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoibWFuZGF0ZSIsInN1YiI6InBheW91dCJ9.M-j1PxenjSdbPSnuYfZqaT_y-NIEnYIZVkTeCIO0Zv_uoAZLYVxb-4JwuG_vwM75Mn1llZ7KX2vqkKVa5cEWXA~eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImtiK2p3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicHJlc2VudGF0aW9uIiwic3ViIjoicGF5b3V0In0.82MNi3SLNtzAMsC6hYDC4rchD-RnKFaVOgu3qp5_7OdgIX0_kIEXpRMeN6HV-ccR6njlX07Ungz_BknaF9Gjcw',
      challenge_token:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImNoYWxsZW5nZStqd3QifQ.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiY2hhbGxlbmdlIiwic3ViIjoicGF5b3V0In0.Me9Y_4SSbX0xALtNUsBjUKvaNzrBUNGiLho11Ju10wHTBX13HWOmXC8beTaVle8jOQ7viiFjDlBvtj18LMcoaQ',
      expires_at: 1795530600,
      principal_signature:
        '0x1db51a2f087ca361c5ca5a59d31c3f2ccee6fd68df88bc8f1326f47d5b43d261b9a6e256603de0d0b9d41ef06e30e197d927f8b795c1574803350399fc1cfa221b',
    },
    output: {
      payout: authorized,
      receipt: jws.authorized,
      receipts: [jws.created, jws.authorized],
    },
  },
  'payout-execute': {
    input: { payout_id: ids.payout, idempotency_key: 'invoice-2026-0117-execute' },
    output: {
      payout: executed,
      receipt: jws.executed,
      receipts: [jws.created, jws.authorized, jws.executed],
    },
  },
  'payout-status': {
    input: { idempotency_key: 'invoice-2026-0117' },
    output: {
      payout: executed,
      receipt: jws.executed,
      receipts: [jws.created, jws.authorized, jws.executed],
    },
  },
  'payout-callback-set': {
    input: { mode: 'set_callback', callback_url: 'https://hooks.northwind.example/payouts' },
    output: callback,
  },
  'payout-callback-read': { input: { mode: 'read_callback' }, output: callback },
  'issue-mandate': {
    input: {
      mode: 'issue_mandate',
      action: {
        payout: {
          payout_id: ids.payout,
          expires_at: 1795530600,
          authorize_idempotency_key: 'invoice-2026-0117-authorize',
        },
        checkout_jwt:
          'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImNoZWNrb3V0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiY2hlY2tvdXQiLCJzdWIiOiJwYXlvdXQifQ.1z0nLkN-N8OPVjkrN9o994lIsEM2XBW0MwiU2B5zV7EPFFl7EZYcDclU1AkNRoRijFNl59xS54ITy3kmhDMnGA',
        holder_proof: {
          binding_version: 2,
          holder_wallet: addresses.holder,
          signature:
            '0xb12d73d1855929bac8d7668b63f8dd8a86c7085d2340e903299050b12c8b6eedb1a59b6468ff722f94f9be4121d5a1fc481fd42a9e1b7507393053cefcd3f3631b',
        },
        idempotency_key: 'invoice-2026-0117-mandate',
      },
    },
    output: {
      mandate_id: 'md_d959b638663f9a7de663a1be37e39bc5d820e3dbb3a31b0af1bad43e0c39fc69',
      ap2_mandate:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImRjK3NkLWp3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoibWFuZGF0ZSIsInN1YiI6InBheW91dCJ9.M-j1PxenjSdbPSnuYfZqaT_y-NIEnYIZVkTeCIO0Zv_uoAZLYVxb-4JwuG_vwM75Mn1llZ7KX2vqkKVa5cEWXA~',
      request_sha256: digests.request,
      recipient: addresses.recipient,
      amount_usdc: '12.5',
      amount_atomic: '12500000',
      expires_at: 1795530600,
      receipt:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoibWFuZGF0ZV9pc3N1ZWQiLCJzdWIiOiJwYXlvdXQifQ.jAKzHlBf-gr_Ebj-aQvmsx01QLjdDZbGcUBv0ju1rroUPTibn1XSqEpgAJKiz8QnGwlNKy6_8T_sSMoIGZVm0g',
    },
  },
} as const
