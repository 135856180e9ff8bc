import type { AnalysisInput } from './input.ts'

/** A small packet with an answer, an open question and a claim without support, for samples. */
export const analysisFixture: AnalysisInput = {
  packet: {
    title: 'Access control evidence',
    purpose: 'Show who may reach the production systems.',
    as_of: '2026-11-01',
    required_sections: ['access_policy', 'access_review'],
    items: [
      {
        name: 'access-policy.md',
        section: 'access_policy',
        text: 'Access to production systems is granted by the security team. Every account uses two-factor authentication. Access rights are reviewed every quarter by the head of operations.',
        issued_at: '2026-09-01',
      },
    ],
    claims: [
      { claim: 'Every account uses two-factor authentication', item: 'access-policy.md' },
      { claim: 'Backups are restored every month', item: 'access-policy.md' },
    ],
  },
  questions: ['How often are access rights reviewed?', 'Where are backups stored?'],
}
