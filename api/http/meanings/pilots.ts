/** What the fields of pilots mean. */
export const pilotMeanings: Readonly<Record<string, string>> = {
  client: 'Who the pilot is for.',
  'client.name': 'The name of the client.',
  'client.contact': 'How an operator reaches the client.',
  'client.account_id': 'The account of your agent, for which the pilot then runs.',
  workflow_description: 'How the work is done today.',
  desired_start: 'The day on which the client wants to begin.',
  pilot_id: 'The pilot, as its intake, invitation or offer answered it.',
  response: 'The answer: accept and decline are final, the others keep the invitation open.',
  'pilots-list source': 'How the pilot began.',
  'pilot-conversation-add text': 'What is said.',
}
