import type { PacketInput } from './schema.ts'

/** A SOC 2 packet of a small company as of a fixed day, with one of each fault that the rail finds. */
export const packetopsInput: PacketInput = {
  title: 'Northwind Ledger: SOC 2 evidence, second half of 2026',
  purpose: 'Pre-audit readiness review',
  profile: 'soc2_evidence_packet',
  as_of: '2026-06-30',
  period: { from: '2026-01-01', to: '2026-06-30' },
  items: [
    {
      name: 'system-description.md',
      section: 'system_description',
      content:
        'Northwind Ledger is a hosted bookkeeping service. Production runs in two availability zones of one region.\n',
      issued_at: '2026-03-02',
      source: 'policy repository',
    },
    {
      name: 'management-assertion.txt',
      section: 'management_assertion',
      content:
        'Management asserts that the controls stated in the system description were suitably designed.\n',
      issued_at: '2026-06-15',
    },
    {
      name: 'access-review-q1.csv',
      section: 'logical_access',
      content: 'account,owner,decision\nbuild,ops,keep\nj.ortega,finance,revoke\n',
      issued_at: '2026-03-10',
      owner: 'M. Sato',
      period: { from: '2026-01-01', to: '2026-03-31' },
    },
    {
      name: 'identity-provider-settings.json',
      section: 'logical_access',
      content: '{"system":"identity provider","mfa_enforced":false,"session_hours":12}\n',
      issued_at: '2026-06-12',
      owner: 'M. Sato',
      period: { from: '2026-04-01', to: '2026-06-30' },
    },
    {
      name: 'penetration-test-2026.pdf',
      section: 'penetration_test',
      sha256: '3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea',
      bytes: 482_113,
      issued_at: '2026-02-20',
      expires_at: '2027-02-20',
      source: 'https://vault.example/northwind/pentest-2026',
    },
    {
      name: 'insurance-certificate.txt',
      section: 'vendor_management',
      content: 'Certificate of cyber liability insurance, limit 2,000,000 usd.\n',
      issued_at: '2025-06-01',
      expires_at: '2026-05-31',
    },
    {
      name: 'risk-register.csv',
      section: 'risk_assessment',
      content: 'risk,owner,score\nphishing,security,12\nkey person,ceo,9\n',
      sha256: '0000000000000000000000000000000000000000000000000000000000000000',
      issued_at: '2026-05-04',
    },
    {
      name: 'change-log-june.txt',
      section: 'change_management',
      content:
        '2026-06-03 release 41 approved by L. Brandt\n2026-06-17 release 42 approved by L. Brandt\n',
      issued_at: '2026-06-18',
      owner: 'P. Ncube',
      period: { from: '2026-06-01', to: '2026-06-30' },
    },
    {
      name: 'incident-response-plan.md',
      section: 'incident_response',
      content: '# Incident response plan\n\nTBD\n',
      issued_at: '2026-05-20',
    },
    {
      name: 'change-log-copy.txt',
      section: 'control_activities',
      content:
        '2026-06-03 release 41 approved by L. Brandt\n2026-06-17 release 42 approved by L. Brandt\n',
      issued_at: '2026-06-18',
    },
  ],
}

/** The packet of a small company whose insurance is to be renewed, as of a fixed day; loss runs and the attestation need work. */
export const insuranceRenewalInput: PacketInput = {
  title: 'Northwind Ledger: renewal of the cyber and general liability insurance, 2027',
  purpose: 'Submission to the broker',
  profile: 'insurance_renewal_compliance_packet',
  as_of: '2026-11-02',
  period: { from: '2026-01-01', to: '2026-12-31' },
  items: [
    {
      name: 'renewal-application.txt',
      section: 'renewal_application',
      content:
        'Renewal application of Northwind Ledger for 2027, signed by A. Lindqvist, CFO, on 2026-10-12.\n',
      issued_at: '2026-10-12',
      owner: 'A. Lindqvist',
    },
    {
      name: 'policy-2026.txt',
      section: 'expiring_policy',
      content:
        'Policy NL-2026-118, cyber and general liability, limit 2,000,000 usd, expires 2026-12-31.\n',
      issued_at: '2026-01-01',
      expires_at: '2026-12-31',
      owner: 'A. Lindqvist',
    },
    {
      name: 'loss-runs.csv',
      section: 'loss_runs',
      content: 'year,claims,paid_usd\n2024,1,18200\n2025,0,0\n',
      issued_at: '2026-03-04',
      owner: 'A. Lindqvist',
    },
    {
      name: 'claims-history.csv',
      section: 'claims_history',
      content: 'date,kind,amount_usd,state\n2024-05-19,phishing,18200,closed\n',
      issued_at: '2026-10-01',
      owner: 'A. Lindqvist',
    },
    {
      name: 'exposures.csv',
      section: 'exposure_schedule',
      content:
        'location,revenue_usd,payroll_usd,records\nGothenburg,3100000,1400000,52000\nLisbon,900000,380000,11000\n',
      issued_at: '2026-09-30',
      owner: 'F. Costa',
    },
    {
      name: 'security-controls.json',
      section: 'security_controls',
      content: '{"mfa_enforced":true,"backups_tested":"2026-08-14","endpoint_detection":false}\n',
      issued_at: '2026-10-08',
      owner: 'M. Sato',
    },
    {
      name: 'recovery-test.md',
      section: 'business_continuity',
      content: 'The recovery test of 2026-08-14 restored all ledgers in 3 hours and 40 minutes.\n',
      issued_at: '2026-08-14',
      owner: 'M. Sato',
    },
  ],
}
