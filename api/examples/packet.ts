/** The input of a small packet: what a SOC 2 auditor asks for, as three documents. */
export const packet = {
  title: 'SOC 2 evidence, Q4 2026',
  profile: 'soc2_evidence_packet',
  as_of: '2026-11-24',
  items: [
    {
      name: 'system.md',
      section: 'system_description',
      content: 'A hosted bookkeeping service in two availability zones.',
      issued_at: '2026-10-02',
    },
    {
      name: 'access-review.csv',
      section: 'logical_access',
      content: 'account,owner,decision\nbuild,ops,keep\n',
      issued_at: '2026-11-10',
    },
  ],
} as const
