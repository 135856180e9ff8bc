import { digests } from './ids.ts'
import { packet } from './packet.ts'
import { receiptOf, verificationPacket } from './receipts.ts'
import { resultContract, returnPackage } from './runs.ts'

const samplePackage = {
  sample: true,
  usage: 'synthetic',
  fixture_id: 'return-package.packetops.standard',
  code_version: '0.1.0',
  persisted: false,
  receipt: receiptOf('sample', 'sample:return-package.packetops.standard', {
    proof_hash: digests.proof,
  }),
  return_package: {
    ...returnPackage,
    usage: 'synthetic',
    result_contract: { ...resultContract, settlement_receipt_id: null, usage_receipt_id: null },
  },
} as const

export const sampleExamples = {
  'sample-return-packages': {
    input: { rail: 'packetops' },
    output: { items: [samplePackage], offset: 0, limit: 25, total: 1 },
  },
  'compliance-samples-read': {
    input: { sample: 'soc2_evidence_packet' },
    output: {
      ...samplePackage,
      fixture_id: 'compliance-evidence.soc2_evidence_packet',
      input: packet,
      verification_packet: verificationPacket,
    },
  },
} as const
