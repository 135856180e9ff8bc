import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common'

/** The filters of the Temporal UI, shared by all workflows. A namespace on SQL allows ten Keywords and three KeywordLists. */
export const searchAttributes = {
  State: defineSearchAttributeKey('State', SearchAttributeType.KEYWORD),
  Usage: defineSearchAttributeKey('Usage', SearchAttributeType.KEYWORD),
  Wallet: defineSearchAttributeKey('Wallet', SearchAttributeType.KEYWORD),
  Rail: defineSearchAttributeKey('Rail', SearchAttributeType.KEYWORD),
  AgentId: defineSearchAttributeKey('AgentId', SearchAttributeType.KEYWORD),
  ExceptionCode: defineSearchAttributeKey('ExceptionCode', SearchAttributeType.KEYWORD),
  /** The summary of the workflow; lists show it only as an attribute. */
  Summary: defineSearchAttributeKey('Summary', SearchAttributeType.KEYWORD),
  /** The traces of the calls that reached the workflow, the newest last. */
  TraceIds: defineSearchAttributeKey('TraceIds', SearchAttributeType.KEYWORD_LIST),
  NeedsAttention: defineSearchAttributeKey('NeedsAttention', SearchAttributeType.BOOL),
} as const
