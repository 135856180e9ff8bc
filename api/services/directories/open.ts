import { notifyDirectorySubmission } from '../../../temporal/workflow-starts.ts'
import type { Adapters } from '../../adapters.ts'
import { type DirectoryDeps, DirectoryService } from './directories.ts'

/** Submissions to the configured directories, of the document that the registry prints. */
export const openDirectories = (
  { config, db, client, callbackHosts: hosts }: Adapters,
  document: DirectoryDeps['document'],
) => ({
  directories: new DirectoryService({
    db,
    directories: config.DIRECTORIES,
    hosts,
    document,
    notify: (submissionId) => notifyDirectorySubmission(client, submissionId),
  }),
})
