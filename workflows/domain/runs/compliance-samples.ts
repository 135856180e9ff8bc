/** The kinds of compliance evidence whose samples anyone may read. */
export const complianceSampleKeys = [
  'soc2_evidence_packet',
  'vendor_security_questionnaire',
  'insurance_renewal_compliance_packet',
] as const
export type ComplianceSampleKey = (typeof complianceSampleKeys)[number]
