export const profileKeys = [
  'soc2_evidence_packet',
  'iso27001_evidence_packet',
  'vendor_security_questionnaire',
  'insurance_renewal_compliance_packet',
] as const
export type ProfileKey = (typeof profileKeys)[number]

/** What a section may want to know of each of its items. */
export const needs = ['owner', 'period', 'approver', 'sample'] as const
type Need = (typeof needs)[number]

/** A section of a packet. Evidence issued more than `maxAgeDays` before the packet's date is stale; null: it does not age. */
export type Section = {
  key: string
  title: string
  required: boolean
  maxAgeDays: number | null
  needs: readonly Need[]
  /** Words of which its evidence has at least one; none: its subject is not checked. */
  topics: readonly string[]
  /** The smallest sample; null: the size that follows from the population. */
  sampleMin: number | null
}

const section = (
  key: string,
  title: string,
  maxAgeDays: number | null = 365,
  needs: readonly Need[] = [],
): Section => ({
  key,
  title,
  required: true,
  maxAgeDays,
  needs,
  topics: [key.replaceAll('_', ' '), title, alsoCalled[key] ?? ''],
  sampleMin: null,
})
const optional = (key: string, title: string, maxAgeDays: number | null = 365): Section => ({
  ...section(key, title, maxAgeDays),
  required: false,
})
/** Other words for what a section is about. */
const alsoCalled: Readonly<Record<string, string>> = {
  logical_access:
    'identity account user privilege role permission mfa sso password login joiner leaver',
  access_control: 'identity account user privilege role permission mfa sso password login',
  physical_access: 'badge visitor door site building office data centre center cctv',
  physical_controls: 'badge visitor door building office data centre center cctv',
  system_operations: 'log alert scan patch backup uptime capacity',
  technological_controls: 'log alert scan patch encryption mfa network',
  monitoring: 'audit metric kpi alert dashboard review',
  change_management: 'release deploy deployment pull request ticket commit',
  vendor_management: 'supplier third party subprocessor contract insurance',
  subprocessors: 'supplier vendor third party processor',
  business_continuity: 'disaster backup restore rto rpo failover',
  incident_response: 'breach postmortem severity outage',
  penetration_test: 'pentest vulnerability finding exploit',
  communication: 'awareness training handbook code conduct',
  control_environment: 'board ethics hr hiring screening',
  risk_assessment: 'risks threat likelihood impact',
  corrective_actions: 'capa nonconformity root cause',
  competence: 'course certificate skill',
  people_controls: 'employee hr hiring onboarding',
  organizational_controls: 'vendor third party policy',
  encryption: 'key kms tls aes hsm cryptography',
  data_protection: 'privacy gdpr personal erase',
}

/** A document with an owner, and an approver who is another person. */
const governed = (key: string, title: string, maxAgeDays = 365) =>
  section(key, title, maxAgeDays, ['owner', 'approver'])
/** Records of a control that operates over a period. */
const periodic = (key: string, title: string, maxAgeDays = 90) =>
  section(key, title, maxAgeDays, ['owner', 'period'])

/**
 * Decision: what a reader of each packet asks for. SOC 2 follows the common criteria CC1 to CC9 of the Trust Services Criteria
 * (periodic controls age by the quarter), ISO 27001 its clauses 4 to 10 and the four themes of Annex A, the questionnaire follows what SIG and CAIQ ask to see, the renewal what underwriters of
 * cyber and liability cover ask for (loss runs are wanted as of the last 90 days).
 */
export const profiles: Record<ProfileKey, readonly Section[]> = {
  soc2_evidence_packet: [
    section('system_description', 'System description'),
    section('management_assertion', 'Management assertion'),
    governed(
      'control_environment',
      'Control environment: organisation, code of conduct, background checks (CC1)',
    ),
    governed(
      'communication',
      'Communication and information: policies and their acknowledgement (CC2)',
    ),
    governed('risk_assessment', 'Risk assessment (CC3)'),
    periodic('monitoring', 'Monitoring of controls and internal audit (CC4)', 180),
    section('control_activities', 'Control activities: control matrix and owners (CC5)'),
    periodic('logical_access', 'Logical access: provisioning, reviews, authentication (CC6)', 90),
    section('physical_access', 'Physical access (CC6.4)'),
    periodic(
      'system_operations',
      'System operations: logging, monitoring, vulnerability scans (CC7)',
      90,
    ),
    governed('incident_response', 'Incident response: plan, tests, incident log (CC7.3 to CC7.5)'),
    periodic('change_management', 'Change management (CC8)', 90),
    governed('vendor_management', 'Risk mitigation and vendor management (CC9)'),
    governed('business_continuity', 'Business continuity and recovery tests (A1)'),
    section('penetration_test', 'Penetration test report'),
    optional('bridge_letter', 'Bridge letter', 90),
  ],
  iso27001_evidence_packet: [
    section('scope', 'Scope of the information security management system (4.3)'),
    governed('information_security_policy', 'Information security policy (5.2)'),
    section('roles', 'Roles, responsibilities and authorities (5.3)'),
    governed('risk_assessment', 'Risk assessment: process and results (6.1.2, 8.2)'),
    governed('risk_treatment', 'Risk treatment: plan and results (6.1.3, 8.3)'),
    governed('statement_of_applicability', 'Statement of applicability (6.1.3 d)'),
    section('objectives', 'Information security objectives (6.2)'),
    section('competence', 'Competence, awareness and training (7.2, 7.3)'),
    section('documented_information', 'Control of documented information (7.5)'),
    section('monitoring', 'Monitoring and measurement (9.1)', 365, ['owner', 'period']),
    section('internal_audit', 'Internal audit: programme and reports (9.2)', 365, [
      'owner',
      'period',
    ]),
    section('management_review', 'Management review: minutes and results (9.3)', 365, ['approver']),
    section('corrective_actions', 'Nonconformities and corrective actions (10.2)'),
    section(
      'organizational_controls',
      'Organizational controls: suppliers, incidents, continuity (A.5)',
    ),
    section('people_controls', 'People controls: screening, terms, training (A.6)'),
    section('physical_controls', 'Physical controls: sites, entry, equipment (A.7)'),
    section(
      'technological_controls',
      'Technological controls: access, backup, logging, changes (A.8)',
    ),
    optional('certificate', 'Certificate of an accredited body', 1095),
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
