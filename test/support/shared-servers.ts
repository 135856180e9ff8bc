/** The environment variable that names the servers of a run. */
export const SHARED_SERVERS = 'AGENT_RAILS_SHARED_SERVERS'
