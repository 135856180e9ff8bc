export const profileKeys = [
  'soc2_evidence_packet',
  'vendor_security_questionnaire',
  'insurance_renewal_compliance_packet',
] as const
export type ProfileKey = (typeof profileKeys)[number]

/** A section of a packet. Evidence issued more than `maxAgeDays` before the packet's date is stale; null: it does not age. */
export type Section = { key: string; title: string; required: boolean; maxAgeDays: number | null }

const section = (key: string, title: string, maxAgeDays: number | null = 365): Section => ({
  key,
  title,
  required: true,
  maxAgeDays,
})
const optional = (key: string, title: string, maxAgeDays: number | null = 365): Section => ({
  ...section(key, title, maxAgeDays),
  required: false,
})

/**
 * Decision: what a reader of each packet asks for. SOC 2 follows the common criteria CC1 to CC9 of the Trust Services Criteria
 * (periodic controls age by the quarter), the questionnaire follows what SIG and CAIQ ask to see, the renewal what underwriters of
 * cyber and liability cover ask for (loss runs are wanted as of the last 90 days).
 */
export const profiles: Record<ProfileKey, readonly Section[]> = {
  soc2_evidence_packet: [
    section('system_description', 'System description'),
    section('management_assertion', 'Management assertion'),
    section(
      'control_environment',
      'Control environment: organisation, code of conduct, background checks (CC1)',
    ),
    section(
      'communication',
      'Communication and information: policies and their acknowledgement (CC2)',
    ),
    section('risk_assessment', 'Risk assessment (CC3)'),
    section('monitoring', 'Monitoring of controls and internal audit (CC4)', 180),
    section('control_activities', 'Control activities: control matrix and owners (CC5)'),
    section('logical_access', 'Logical access: provisioning, reviews, authentication (CC6)', 90),
    section('physical_access', 'Physical access (CC6.4)'),
    section(
      'system_operations',
      'System operations: logging, monitoring, vulnerability scans (CC7)',
      90,
    ),
    section('incident_response', 'Incident response: plan, tests, incident log (CC7.3 to CC7.5)'),
    section('change_management', 'Change management (CC8)', 90),
    section('vendor_management', 'Risk mitigation and vendor management (CC9)'),
    section('business_continuity', 'Business continuity and recovery tests (A1)'),
    section('penetration_test', 'Penetration test report'),
    optional('bridge_letter', 'Bridge letter', 90),
  ],
  vendor_security_questionnaire: [
    section('completed_questionnaire', 'Completed questionnaire', 180),
    section('company_profile', 'Company profile and ownership'),
    section('attestation_report', 'Independent attestation: SOC 2 report or ISO 27001 certificate'),
    section('security_policies', 'Information security policies'),
    section('access_control', 'Access control and authentication'),
    section('encryption', 'Encryption and key management'),
    section('vulnerability_management', 'Vulnerability management and patching', 180),
    section('penetration_test', 'Penetration test report'),
    section('incident_response', 'Incident response and breach notification'),
    section('business_continuity', 'Business continuity and recovery tests'),
    section('data_protection', 'Data protection, retention and deletion'),
    section('subprocessors', 'Subprocessors and fourth parties', 180),
    section('personnel_security', 'Personnel security and training'),
    optional('insurance_certificate', 'Certificate of insurance'),
    optional('network_diagram', 'Network and data-flow diagrams'),
  ],
  insurance_renewal_compliance_packet: [
    section('renewal_application', 'Signed renewal application', 90),
    section('expiring_policy', 'Expiring policy and declarations', null),
    section('loss_runs', 'Currently valued loss runs', 90),
    section('claims_history', 'Claims and incident history'),
    section(
      'exposure_schedule',
      'Schedule of exposures: locations, revenue, payroll, records held',
      180,
    ),
    section('financial_statements', 'Financial statements', 540),
    section(
      'security_controls',
      'Security control attestation: MFA, backups, endpoint detection',
      180,
    ),
    section('business_continuity', 'Business continuity and recovery tests'),
    section('regulatory_compliance', 'Licences and regulatory compliance'),
    section('contractual_risk', 'Contractual risk transfer: indemnities and certificates'),
    section('safety_program', 'Safety and training programme'),
    optional('broker_of_record', 'Broker of record letter', null),
    optional('appraisals', 'Valuations and appraisals', 1095),
  ],
}
