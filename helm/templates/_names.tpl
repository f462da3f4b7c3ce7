{{- define "gateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough for the longest suffix, "-applications", within 63 characters. */}}
{{- define "gateway.fullname" -}}
{{- $name := include "gateway.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 48 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels by which Deployment and Services select. They must never change after a release. Takes a list: root, component. */}}
{{- define "gateway.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "gateway.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Takes a list: root, component. */}}
{{- define "gateway.labels" -}}
{{- $root := index . 0 -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "gateway.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gateway.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "gateway.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* The Kubernetes secret behind an entry of .Values.secrets. Takes a list: root, name of the entry. */}}
{{- define "gateway.secretName" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $entry := index $root.Values.secrets $name -}}
{{- $entry.existingSecret | default (printf "%s-%s" (include "gateway.fullname" $root) $name) -}}
{{- end -}}

{{- define "gateway.tlsSecret" -}}
{{- .Values.tls.secretName | default (printf "%s-tls" (include "gateway.fullname" .)) -}}
{{- end -}}

{{- define "gateway.servicePort" -}}
{{- .Values.service.port | default (ternary 443 80 .Values.tls.enabled) -}}
{{- end -}}

{{/* Base hosts that clients use, with wildcards. Takes a dict: hosts, wildcard, root. */}}
{{- define "gateway.hosts" -}}
{{- $hosts := .hosts | default .root.Values.config.baseHosts -}}
{{- if not $hosts }}{{ fail "config.baseHosts: expected the host names under which clients come, for Ingress, HTTPRoute and certificate" }}{{ end -}}
{{- $all := list -}}
{{- range $hosts -}}
{{- $all = append $all . -}}
{{- if $.wildcard }}{{ $all = append $all (printf "*.%s" .) }}{{ end -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{/* What BucketClasses and BucketAccessClasses call the COSI driver of this release. */}}
{{- define "gateway.cosiDriver" -}}
{{- $name := .Values.cosi.driverName | default (printf "%s.%s" (include "gateway.fullname" .) .Release.Namespace) -}}
{{- if gt (len $name) 63 }}{{ fail (printf "cosi.driverName: expected a name of at most 63 characters, as %s has %d" $name (len $name)) }}{{ end -}}
{{- $name -}}
{{- end -}}

{{/* The Service, for pods of any namespace. */}}
{{- define "gateway.cosiEndpoint" -}}
{{- $port := include "gateway.servicePort" . -}}
{{- $host := printf "%s.%s.svc" (include "gateway.fullname" .) .Release.Namespace -}}
{{ ternary "https" "http" .Values.tls.enabled }}://{{ $host }}{{ if ne $port (ternary "443" "80" .Values.tls.enabled) }}:{{ $port }}{{ end }}
{{- end -}}
