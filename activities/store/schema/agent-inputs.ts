import type { ColumnType, Generated } from 'kysely'

type Time = ColumnType<Date, Date | undefined, Date>

type AgentInputBlobsTable = {
  blob_id: Generated<string>
  owner: string
  began_at: Time
  reserved: ColumnType<string, number, number>
  sandbox: boolean
}
type AgentInputChunksTable = { blob_id: string; seq: number; bytes: Buffer }
export type AgentInputsTable = {
  owner: string
  sha256: string
  blob_id: string
  byte_length: number
  media_type: 'text/csv' | 'application/x-ndjson'
  stored_at: Time
}
type AgentInputUsesTable = {
  owner: string
  sha256: string
  subject: string
  since: Time
  released_at: Date | null
}

export type AgentInputTables = {
  agent_input_blobs: AgentInputBlobsTable
  agent_input_chunks: AgentInputChunksTable
  agent_inputs: AgentInputsTable
  agent_input_uses: AgentInputUsesTable
}
