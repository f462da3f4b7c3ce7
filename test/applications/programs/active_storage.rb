require "active_support/all"
require "action_dispatch"
require "active_storage"
require "active_storage/service/s3_service"
require "net/http"
require "yaml"

def step(text)
  puts "* #{text}"
  $stdout.flush
end

settings = YAML.load_file("storage.yml")
service = ActiveStorage::Service.configure(:gateway, settings)
bytes = Random.bytes(12_000_000)
sum = Digest::MD5.base64digest(bytes)
service.upload("big", StringIO.new(bytes), checksum: sum)
raise "other bytes" unless service.download("big") == bytes
raise "other range" unless service.download_chunk("big", 100..199) == bytes[100..199]
step "12 MB uploaded with its MD5, downloaded whole and by a range, compared"
begin
  service.upload("wrong", StringIO.new("x"), checksum: sum)
  raise "a wrong checksum was taken"
rescue ActiveStorage::IntegrityError
  raise "it is there all the same" if service.exist?("wrong")
end
step "an upload with a wrong checksum refused"
service.upload("big", StringIO.new("anew"))
raise "not overwritten" unless service.download("big") == "anew"
key = "direct"
filename = Struct.new(:sanitized).new("a.txt")
url = service.url_for_direct_upload(key, expires_in: 60, content_type: "text/plain", content_length: 5,
                                         checksum: Digest::MD5.base64digest("hello"))
headers = service.headers_for_direct_upload(key, content_type: "text/plain", checksum: Digest::MD5.base64digest("hello"))
uri = URI(url)
put = Net::HTTP::Put.new(uri, headers)
put.body = "hello"
answer = Net::HTTP.start(uri.host, uri.port) { |http| http.request(put) }
raise answer.body unless answer.code == "200"
link = service.url(key, expires_in: 60, filename: filename, disposition: :inline,
                        content_type: "text/plain")
raise "other text" unless Net::HTTP.get(URI(link)) == "hello"
step "overwritten; a direct upload of a browser and a link, both signed"
service.upload("pre/1", StringIO.new("1"))
service.delete_prefixed("pre/")
service.delete("big")
raise "still there" if service.exist?("pre/1") || service.exist?("big")
step "deleted, also by a prefix"
