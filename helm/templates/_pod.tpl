{{/* What the pods of gateway, sweeper and test have in common. */}}
{{- define "gateway.podBasics" -}}
serviceAccountName: {{ include "gateway.serviceAccount" . }}
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- if .Values.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- end -}}

{{/* Labels and annotations that identities ask for, and those of the user. Takes a list: root, component. */}}
{{- define "gateway.podLabels" -}}
{{- $root := index . 0 -}}
{{ include "gateway.labels" . }}
{{- if $root.Values.identity.azure.clientId }}
azure.workload.identity/use: 'true'
{{- end }}
{{- with $root.Values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Changes of what is read at the start only make new pods. */}}
{{- define "gateway.podAnnotations" -}}
checksum/config: {{ include "gateway.config" . | sha256sum }}
checksum/secrets: {{ toJson .Values.secrets | sha256sum }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gateway.volumes" -}}
- name: config
  configMap:
    name: {{ include "gateway.fullname" . }}
{{- range $name, $_ := .Values.secrets }}
- name: secret-{{ $name }}
  secret:
    secretName: {{ include "gateway.secretName" (list $ $name) }}
    defaultMode: 0440
{{- end }}
{{- if .Values.tls.enabled }}
- name: tls
  secret:
    secretName: {{ include "gateway.tlsSecret" . }}
    defaultMode: 0440
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gateway.volumeMounts" -}}
- name: config
  mountPath: /etc/s3-cloud-gateway
  readOnly: true
{{- range $name, $_ := .Values.secrets }}
- name: secret-{{ $name }}
  mountPath: /secrets/{{ $name }}
  readOnly: true
{{- end }}
{{- if .Values.tls.enabled }}
- name: tls
  mountPath: /tls
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Image, security and environment of a container of ours. */}}
{{- define "gateway.containerBasics" -}}
image: {{ include "gateway.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
