{{/* Settings that the pods of gateway, sweeper and test share. */}}
{{- define "gateway.podBasics" -}}
serviceAccountName: {{ include "gateway.serviceAccount" . }}
{{ include "gateway.podPlacement" . }}
{{- end -}}

{{/* The same without the service account. */}}
{{- define "gateway.podPlacement" -}}
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

{{/* Labels and annotations for the cloud identities, and those of the user. Takes a list: root, component. */}}
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

{{/*
Annotations that make new pods when something changes that the gateway reads at its start only. Many can read annotations, so they hold no digest of a secret, against which guesses could be tried.
Instead, each release makes new pods where the values contain secrets. Names of secrets and the configuration, which holds none (`gateway.check`), count in any case.
*/}}
{{- define "gateway.podAnnotations" -}}
{{- $names := list -}}
{{- $inline := false -}}
{{- range $name, $secret := .Values.secrets -}}
{{- $names = append $names (printf "%s=%s" $name ($secret.existingSecret | default "")) -}}
{{- if $secret.data }}{{ $inline = true }}{{ end -}}
{{- end -}}
checksum/config: {{ printf "%s\n%s" (include "gateway.config" .) (join "," $names) | sha256sum }}
{{- if $inline }}
s3gw/release-of-secrets: {{ .Release.Revision | quote }}
{{- end }}
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

{{/* Image, security and environment of each of the chart's containers. */}}
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
