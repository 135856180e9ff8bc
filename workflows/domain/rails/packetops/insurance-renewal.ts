import type { PacketInput } from './schema.ts'

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
