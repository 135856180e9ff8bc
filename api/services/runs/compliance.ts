import { diligenceopsInput } from '#domain/rails/diligenceops/sample.ts'
import { insuranceRenewalInput } from '#domain/rails/packetops/insurance-renewal.ts'
import { profiles } from '#domain/rails/packetops/profiles.ts'
import { packetopsInput } from '#domain/rails/packetops/sample.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { ComplianceSampleKey } from '#domain/runs/compliance-samples.ts'

/** The input of each sample, and how many sections or questions it covers. */
export const complianceSamples: Readonly<
  Record<ComplianceSampleKey, { rail: RailKey; sections: number; input: unknown }>
> = {
  soc2_evidence_packet: {
    rail: 'packetops',
    sections: profiles.soc2_evidence_packet.length,
    input: packetopsInput,
  },
  vendor_security_questionnaire: {
    rail: 'diligenceops',
    sections: diligenceopsInput.questions.length,
    input: diligenceopsInput,
  },
  insurance_renewal_compliance_packet: {
    rail: 'packetops',
    sections: profiles.insurance_renewal_compliance_packet.length,
    input: insuranceRenewalInput,
  },
}
