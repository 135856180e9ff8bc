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
