import type { DiligenceInput } from './schema.ts'

/** Six questions to a hosting company and four of its texts, two of which contradict each other. */
export const diligenceopsInput: DiligenceInput = {
  questions: [
    {
      id: 'ENC-1',
      text: 'Is customer data encrypted at rest, and with which algorithm?',
      required: true,
    },
    { id: 'RET-1', text: 'How long are backups of customer data retained?', required: true },
    {
      id: 'INC-1',
      text: 'Within what time do you notify customers of a confirmed breach?',
      required: true,
    },
    {
      id: 'ACC-1',
      text: 'Is multi-factor authentication enforced for administrative access?',
      required: true,
    },
    { id: 'TST-1', text: 'When was the last penetration test completed?' },
    { id: 'ESC-1', text: 'Do you offer source-code escrow?' },
  ],
  evidence: [
    {
      id: 'security-policy',
      title: 'Information security policy',
      dated: '2026-02-01',
      text:
        'Customer data is encrypted at rest with AES-256 and in transit with TLS 1.3. Keys are kept in a hardware security module ' +
        'and rotated every 12 months.\n\nAdministrative access to production requires multi-factor authentication. Access is ' +
        'reviewed every quarter by the owner of each system.',
    },
    {
      id: 'backup-standard',
      title: 'Backup standard',
      dated: '2025-03-10',
      text: 'Backups of customer data are retained for 35 days. Restores are tested twice a year.',
    },
    {
      id: 'data-processing-terms',
      title: 'Data processing terms',
      dated: '2026-04-15',
      text:
        'Backups of customer data are retained for 90 days. We notify customers of a confirmed breach within 48 hours after we ' +
        'become aware of it.',
    },
    {
      id: 'penetration-test-summary',
      title: 'Penetration test summary',
      dated: '2026-05-20',
      text: 'An independent firm completed the penetration test on 8 May 2026. No critical finding remained open.',
    },
  ],
}

/** The same where an answer to every question is required. */
export const unansweredDiligenceInput: DiligenceInput = {
  ...diligenceopsInput,
  questions: diligenceopsInput.questions.map((question) => ({ ...question, required: true })),
}
