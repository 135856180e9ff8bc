/** Requirements on what the nodes of the chain may do: id → source and behavior. */
export const nodeRequirements = {
  'nodes.log-ranges': {
    source: 'decision',
    behavior:
      'A node that answers eth_getLogs for 10 blocks at once is enough. The range follows its refusals, whatever their words, and is remembered for each node; all blocks of a range are read.',
  },
  'nodes.receipt-first': {
    source: 'decision',
    behavior:
      'The receipt of the stored transaction hash confirms by the two exact events in it, in a block that is canonical when it is read again. A missing receipt proves nothing: the logs are read.',
  },
  'nodes.failover': {
    source: 'decision',
    behavior:
      'After a node that does not answer, answers nonsense, lags or is of another chain, the next one of the list is asked. One that did not answer is asked last for a while.',
  },
  'nodes.second-opinion': {
    source: 'decision',
    behavior:
      'Whatever one of two opinions does wrong, nothing is settled, dead or a conflict that the other does not prove too. When the fault ends, the transfer is confirmed.',
  },
  'nodes.chain-id': {
    source: 'decision',
    behavior:
      'A node names its chain on every new connection, after every error and every two seconds. Nothing that a node of another chain says is used.',
  },
  'nodes.books': {
    source: 'decision',
    behavior:
      'The outcome of a gas wallet transaction is looked at again until its block is final. A missing receipt supersedes nothing before that, and a node of another or an empty chain changes no row.',
  },
  'nodes.absence': {
    source: 'decision',
    behavior:
      'A missing receipt, log or later block proves nothing. A payment that a row calls done is gone only when its authorization is proven unused at a block not before its own; a claimed payment without a receipt is `receipt_not_found`; a block that was seen is lost only on a chain that is no shorter; a statement whose logs do not add up to the balances is not signed.',
  },
  'nodes.cost': {
    source: 'decision',
    behavior:
      'Reconciling and stating a day takes four requests of logs for each range that the node allows, in pages of at most about 400 of them, with heartbeats between.',
  },
  'nodes.fees': {
    source: 'decision',
    behavior:
      'Where a node lacks eth_maxPriorityFeePerGas, the priority fee comes from eth_feeHistory, and without that it is fixed.',
  },
  'nodes.named': {
    source: 'decision',
    behavior:
      'Each node that is unreachable, of another chain, stale, behind, without a finalized block or with another history is named by scheme and host, never with its key.',
  },
  'local.accounts-with-code': {
    source: 'decision',
    behavior:
      'The local token asks the code of an account that has code (EIP-7702, EIP-1271) in both forms of each authorization, and recovers the signer only for an account without code, as USDC does.',
  },
} as const
