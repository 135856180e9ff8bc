import { createTransport, numberToHex, RpcError, type Transport } from 'viem'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { isRevert, NodeFaultError, WrongChainError } from './chain-fault.ts'
import type { ChainNode, NodeFacts } from './chain-node.ts'

/** What is wrong with a node. */
type NodeFault =
  | 'unreachable'
  | 'wrong_chain'
  | 'no_finalized_block'
  | 'stale_head'
  | 'behind'
  | 'another_history'

/** A node of the chain, or of the second opinion (`confirm`), and what was wrong with it when it was last asked. */
export type NodeState = NodeFacts & {
  readonly role: 'chain' | 'confirm'
  /** By this process's clock; null without a head. */
  readonly headAgeMs: number | null
  readonly faults: readonly NodeFault[]
}

/** A head is stale when it is older than this; the chain makes a block every two seconds. */
const STALE_MS = 60_000
/** A node is behind when another has this many blocks more. */
const BEHIND_BLOCKS = 20n
/** A node that is behind is asked after the others for this time. */
const BEHIND_FOR_MS = 30_000

/**
 * Asks the nodes in their order, those last that did not answer just now. A revert is an answer; after any other error the next
 * node is asked, and also after a missing block or receipt, which one node may have before another.
 */
export function nodesTransport(nodes: readonly ChainNode[]): Transport {
  const request = async (question: { method: string; params?: unknown }) => {
    let last: unknown = new NodeFaultError('no RPC url is configured')
    let isMissing = false
    for (const node of [...nodes.filter(isFirst), ...nodes.filter(({ isLast }) => isLast)]) {
      try {
        const answer = await node.ask(question)
        if (answer !== null) return answer
        isMissing = true
      } catch (error) {
        if (isRevert(error)) throw error
        // What a node says about a transaction explains more than the silence of the next node.
        if (!(last instanceof RpcError) || error instanceof RpcError) last = error
      }
    }
    if (isMissing) return null
    throw last
  }
  const name = 'chain nodes'
  return () =>
    createTransport({ key: name, name, type: name, request: request as never, retryCount: 0 })
}

const isFirst = ({ isLast }: ChainNode): boolean => !isLast

/** Puts nodes last whose head is behind that of another; a stale head alone proves no fault. */
export async function putStaleLast(nodes: readonly ChainNode[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.ask({ method: 'eth_blockNumber' }).catch(() => null)))
  for (const node of nodes) if (isBehind(node.facts(), nodes)) node.putLast(BEHIND_FOR_MS)
}

function isBehind({ head }: NodeFacts, nodes: readonly ChainNode[]): boolean {
  const heads = nodes.flatMap((node) => node.facts().head?.number ?? [])
  return head !== null && heads.some((other) => other - head.number >= BEHIND_BLOCKS)
}

type Group = { readonly role: NodeState['role']; readonly nodes: readonly ChainNode[] }

/** Asks every node by itself, and says which are away, of another chain, stale, behind, or have another history. */
export async function examineNodes(groups: readonly Group[]): Promise<NodeState[]> {
  const all = groups.flatMap(({ role, nodes }) => nodes.map((node) => ({ role, node })))
  const nodes = all.map(({ node }) => node)
  const seen = await Promise.all(nodes.map(readHeights))
  const strangers = await findStrangers(nodes, seen)
  return all.map(({ role, node }, index) => {
    const facts = node.facts()
    const headAgeMs = ageOf(facts)
    const found = seen[index]?.faults ?? []
    const reached = !found.includes('unreachable') && !found.includes('wrong_chain')
    const faults: NodeFault[] = [
      ...found,
      ...when(reached && headAgeMs !== null && headAgeMs > STALE_MS, 'stale_head'),
      ...when(reached && isBehind(facts, nodes), 'behind'),
      ...when(strangers.has(node), 'another_history'),
    ]
    return { ...facts, role, headAgeMs, faults }
  })
}

const when = (is: boolean, fault: NodeFault): NodeFault[] => (is ? [fault] : [])

const ageOf = ({ head }: NodeFacts): number | null =>
  head?.timestamp == null ? null : Math.max(0, Date.now() - Number(head.timestamp) * 1000)

type Seen = { readonly finalized?: bigint; readonly faults: readonly NodeFault[] }

async function readHeights(node: ChainNode): Promise<Seen> {
  const block = (tag: string) =>
    node.ask({ method: 'eth_getBlockByNumber', params: [tag, false] }) as Promise<Block | null>
  try {
    await node.ask({ method: 'eth_chainId' })
    await block('latest')
  } catch (error) {
    return { faults: [error instanceof WrongChainError ? 'wrong_chain' : 'unreachable'] }
  }
  try {
    const finalized = await block('finalized')
    if (finalized !== null) return { finalized: BigInt(finalized.number), faults: [] }
  } catch {}
  return { faults: ['no_finalized_block'] }
}

type Block = { readonly number: string; readonly hash: string }

const byNumber = (one: bigint, other: bigint): number => Number(one - other)

/** The nodes whose block at a height that is final for all of them differs from that of the first one. */
async function findStrangers(
  nodes: readonly ChainNode[],
  seen: readonly Seen[],
): Promise<ReadonlySet<ChainNode>> {
  const sound = nodes.flatMap((node, index) => {
    const { finalized } = seen[index] ?? {}
    return finalized === undefined ? [] : [{ node, finalized }]
  })
  const [first] = sound
  if (first === undefined || sound.length === 1) return new Set()
  const common = sound.map(({ finalized }) => finalized).sort(byNumber)[0] ?? first.finalized
  const params = [numberToHex(common), false]
  const hashes = await Promise.all(
    sound.map(({ node }) =>
      node.ask({ method: 'eth_getBlockByNumber', params }).then(
        (block) => (block as Block | null)?.hash,
        () => undefined,
      ),
    ),
  )
  return new Set(
    sound.flatMap(({ node }, index) =>
      hashes[index] === undefined || hashes[index] === hashes[0] ? [] : [node],
    ),
  )
}

/** The nodes with a fault, each in one line for operators. */
export const describeFaulty = (nodes: readonly NodeState[]): string[] =>
  nodes.filter(({ faults }) => faults.length > 0).map(describeNode)

/** A node in one line for operators: what is wrong with it, or how far it is. */
export function describeNode(state: NodeState): string {
  const name = state.role === 'confirm' ? `${state.url} (second opinion)` : state.url
  if (state.faults.length > 0)
    return `${name} ${state.faults.map((fault) => faultText(fault, state)).join(', ')}`
  return `${name} is at block ${state.head?.number}, and answers for ${state.logRange} blocks of logs at once`
}

function faultText(fault: NodeFault, { chainId, head, lastError, headAgeMs }: NodeState): string {
  const texts: Record<NodeFault, string> = {
    unreachable: `does not answer: ${lastError?.text}`,
    wrong_chain: `is a node of chain ${chainId}, not ${CHAIN_ID}`,
    no_finalized_block: 'names no finalized block',
    stale_head: `has had no new block for ${Math.round((headAgeMs ?? 0) / 1000)} s`,
    behind: `is behind the others at block ${head?.number}`,
    another_history: 'has another history than the first node',
  }
  return texts[fault]
}
