/** What the sender of an order declares of its input. */
export const DATA_DECLARATION = 'no_regulated_or_confidential_data' as const

/** The same as a term of every contract, which the agent accepts. */
export const declaredTerm =
  'The agent declares that the input holds no regulated records and no confidential production client data. The service does not detect them.'
