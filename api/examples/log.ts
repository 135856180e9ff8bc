import { ids } from './ids.ts'

const hashes = {
  entry: '965ccc258469f62c055f56a8e97d252c2af573e241026159c2bd15fbc1f70cc0',
  root: '25c9c85fd85e0ae3e4bb41a2f2fb6ea92ae4ee26b73e82a2ae24efdd32ecb4f6',
  before: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  sibling: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
} as const

const checkpoint =
  'api.agent-rails.example/log\n2\nJcnIX9heCuPku0Gi8vtuqSrk7ia3PoKiriTv3TLstPY=\n\n— api.agent-rails.example/log 1x2H2nJr4i1Sg1dvxT1nCkS0oDPo3yIxDJXl4jVnGmBqWNZAtpJmQmS3jZkKZKkM3qkz0ZlJQ2lgl0X6nqMoq4kZ+wY=\n'

const proof = {
  entry: hashes.entry,
  leaf_index: 1,
  tree_size: 2,
  root: hashes.root,
  path: [hashes.sibling],
  checkpoint,
} as const

export const logExamples = {
  'log-inclusion': { input: { receipt_id: ids.settlementReceipt }, output: proof },
  'log-consistency': {
    input: { from: '1', to: '2' },
    output: {
      from: 1,
      to: 2,
      from_root: hashes.before,
      root: hashes.root,
      path: [hashes.sibling],
      checkpoint,
    },
  },
  'receipt-bundle': {
    input: { receipt_id: ids.settlementReceipt },
    output: {
      receipt_id: ids.settlementReceipt,
      receipt:
        'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIn0.0Je19Jpv6LFBucPJcCqAqyTm-wo7QtqziwohQUwkaGoZiBazkux7uUsModXy0MGTKT1SIGVdgkaqUtMDxONMGw',
      ...proof,
      log_key: 'api.agent-rails.example/log+d71d87da+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
      tlog_proof: `c2sp.org/tlog-proof@v1\nindex 1\n+sVCA+fMaWzw38tCySodnbr3CtnmIfS9jZhmLwDjwSU=\n\n${checkpoint}`,
      cose_receipt: '0oRRowEnBEZsb2ctMTkZAYsBoRkBjKEggVgqggIBgQ',
      keys: [{ kty: 'OKP', kid: 'log-2026-11-24-5f0c2a9e', crv: 'Ed25519', use_for: 'log' }],
    },
  },
} as const
