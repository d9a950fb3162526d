import RPC
import Testing

@Suite struct OpenRPCTests {
    @Test func theDocumentDescribesTheTable() {
        let document = """
            {"openrpc":"1.3.2","info":{"title":"Sample","version":"1.2.3"},"methods":[\
            {"name":"rpc.discover","summary":"Describes every method of this interface, as an OpenRPC document.",\
            "paramStructure":"either","params":[],"result":{"name":"result","schema":\
            {"description":"An OpenRPC document."}},"errors":[{"code":-32603,"message":"internal error"},\
            {"code":-32602,"message":"invalid params"}],"x-right":"read"},\
            {"name":"sums.add","summary":"Adds two numbers.","paramStructure":"either","params":[\
            {"name":"left","description":"The first.","required":true,\
            "schema":{"type":"integer","minimum":-100,"maximum":100}},\
            {"name":"right","description":"The second.","required":true,"schema":{"type":"number","minimum":0}},\
            {"name":"unit","description":"What they are.","required":false,\
            "schema":{"type":"string","enum":["m","s"]}},\
            {"name":"tags","description":"Marks.","required":false,"schema":{"type":"array",\
            "items":{"type":"string","minLength":1,"maxLength":4},"maxItems":2}},\
            {"name":"place","description":"Where.","required":false,"schema":{"type":"object","properties":\
            {"lat":{"type":"number","minimum":-90,"maximum":90,"description":"Degrees."},\
            "name":{"type":"string","description":"A name."}},"required":["lat"],"additionalProperties":false}}],\
            "result":{"name":"result","schema":{"type":"object","properties":{"sum":{"type":"number",\
            "description":"The sum."},"unit":{"type":"string","enum":["m","s"],"description":"What it is."}},\
            "required":["sum"],"additionalProperties":false}},\
            "errors":[{"code":-32603,"message":"internal error"},{"code":-32602,"message":"invalid params"},\
            {"code":3,"message":"conflict"},{"code":4,"message":"invalid value"}],"x-right":"read"},\
            {"name":"things.remove","summary":"Removes all.","paramStructure":"either","params":[],\
            "result":{"name":"result","schema":{}},"errors":[{"code":-32603,"message":"internal error"},\
            {"code":-32602,"message":"invalid params"},{"code":2,"message":"not allowed"}],"x-right":"change"},\
            {"name":"things.break","summary":"Fails.","paramStructure":"either","params":[],\
            "result":{"name":"result","schema":{}},"errors":[{"code":-32603,"message":"internal error"},\
            {"code":-32602,"message":"invalid params"}],"x-right":"read"},\
            {"name":"things.find","summary":"Finds nothing.","paramStructure":"either","params":[],\
            "result":{"name":"result","schema":{}},"errors":[{"code":-32603,"message":"internal error"},\
            {"code":-32602,"message":"invalid params"},{"code":1,"message":"not found"}],"x-right":"read"},\
            {"name":"text.repeat","summary":"Repeats a letter.","paramStructure":"either","params":[\
            {"name":"count","description":"How often.","required":true,\
            "schema":{"type":"integer","minimum":0,"maximum":2097152}}],\
            "result":{"name":"result","schema":{"type":"string"}},\
            "errors":[{"code":-32603,"message":"internal error"},{"code":-32602,"message":"invalid params"},\
            {"code":4,"message":"invalid value"}],"x-right":"read"}],\
            "x-notifications":[{"name":"tick","summary":"Told now and then.","params":[\
            {"name":"count","description":"How many.","required":true,"schema":{"type":"integer"}}]}]}
            """
        #expect(String(decoding: sampleTable().openRPC.bytes, as: UTF8.self) == document)
    }

    @Test func discoveryReturnsTheDocument() async throws {
        let table = sampleTable()
        let result = await table.dispatch(Request(id: .integer(1), method: "rpc.discover"), from: Visitor())
        #expect(try result.get() == table.openRPC)
    }
}
