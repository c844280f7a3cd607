// GET /images/{name}/json, with every key that the real engine has there.
import type {ModelResponse} from '../model.js'
import type {DockerImage, World} from '../world.js'
import {DockerRefusal, json} from './answer.js'
import {findImage} from './images.js'
import {sha256, splitReference} from './registry.js'

export function inspectImage(world: World, reference: string): ModelResponse {
  const image = findImage(world, reference)
  const {name, tag} = splitReference(reference)
  // In its own words and once more in those of the store, as the real one of that time does.
  if (!image) throw new DockerRefusal(404, `no such image: ${reference}: No such image: ${name}:${tag}`)
  return json(200, {
    Id: image.id,
    RepoTags: image.tags,
    RepoDigests: image.digests ?? [],
    Parent: '',
    Comment: '',
    Created: image.created,
    Container: '',
    ContainerConfig: configOf({...image, command: null, labels: {}, user: ''}),
    DockerVersion: '',
    Author: '',
    Config: configOf({...image, command: image.command ?? ['c:\\windows\\system32\\cmd.exe']}),
    Architecture: 'amd64',
    Os: 'windows',
    OsVersion: image.osVersion,
    Size: image.size,
    VirtualSize: image.size,
    GraphDriver: {
      Data: {dir: `C:\\ProgramData\\docker\\windowsfilter\\${sha256(image.id)}`},
      Name: 'windowsfilter',
    },
    RootFS: {Type: 'layers', Layers: [`sha256:${sha256(`files ${image.id}`)}`]},
    Metadata: {LastTagTime: '0001-01-01T00:00:00Z'},
  })
}

interface Configured extends Pick<DockerImage, 'labels'> {
  readonly command: readonly string[] | null
  readonly user?: string
}

const configOf = ({command, labels, user = ''}: Configured): object => ({
  Hostname: '',
  Domainname: '',
  User: user,
  AttachStdin: false,
  AttachStdout: false,
  AttachStderr: false,
  Tty: false,
  OpenStdin: false,
  StdinOnce: false,
  Env: null,
  Cmd: command,
  Image: '',
  Volumes: null,
  WorkingDir: '',
  Entrypoint: null,
  OnBuild: null,
  Labels: Object.keys(labels).length > 0 ? labels : null,
})
